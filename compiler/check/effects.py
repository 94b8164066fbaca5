"""Effects and scopes of a chain: computed from what it calls, held against what it promises."""

from __future__ import annotations

from collections.abc import Sequence

from compiler.check.arguments import Signature, written_path
from compiler.names.effects import written_effects
from compiler.project import Annotations
from compiler.types.report import Report
from dsl import tree

Called = Sequence[tuple[tree.Call, Signature]]


def chain_effects(report: Report, chain: tree.Chain, called: Called) -> Annotations:
    """What calling the chain may do. `read_only` and `idempotent` are promises, which all calls must keep;
    `destructive` and `open_world` are admissions, which are added to what the calls have."""
    computed = Annotations(
        read_only=all(target.effects.read_only for _, target in called),
        idempotent=all(target.effects.idempotent or target.effects.read_only for _, target in called),
        destructive=any(target.effects.destructive and not target.effects.read_only for _, target in called),
        open_world=any(target.effects.open_world for _, target in called),
    )
    clause = next((m for m in chain.members if isinstance(m, tree.NamesClause) and m.keyword == "effects"), None)
    if clause is None:
        return computed
    names = written_effects(report, clause)
    for word in ("read_only", "idempotent"):
        if word in names:
            _kept(report, chain, clause, word, called)
    return Annotations(
        read_only="read_only" in names and computed.read_only,
        idempotent=bool({"read_only", "idempotent"} & names) and computed.idempotent,
        destructive="destructive" in names or computed.destructive,
        open_world="open_world" in names or computed.open_world,
    )


def _kept(report: Report, chain: tree.Chain, clause: tree.NamesClause, word: str, called: Called) -> None:
    at = next(name for name in clause.names if name.text == word)
    for node, target in called:
        effects = target.effects
        if not (effects.read_only or (word == "idempotent" and effects.idempotent)):
            path = written_path(node.path)
            place = tree.Node(node.path[0].start, node.path[-1].end)
            hint = f"Remove `{word}` from `effects`"
            if len(node.path) > 1:
                hint += (
                    f", or, if it is true, declare it in the import: `tool {node.path[-1].text} {{ effects {word} }}`"
                )
            report(
                "E0602",
                place,
                f"`{chain.name.text}` is declared {word}, but it calls `{path}`, which is not.",
                helps=f"{hint}.",
                also=(report.place(at, "promised here"),),
            )


def chain_scopes(report: Report, chain: tree.Chain, called: Called) -> tuple[str, ...]:
    """The scopes that a caller needs. Without a clause those of the calls; a clause must name all of them."""
    clauses = [m for m in chain.members if isinstance(m, tree.Scopes)]
    listed = [text.plain for clause in clauses for text in clause.texts if text.plain is not None]
    if not clauses:
        return tuple(dict.fromkeys(scope for _, target in called for scope in target.scopes))
    seen: dict[str, tree.Text] = {}
    for text in (text for clause in clauses for text in clause.texts):
        first = seen.setdefault(text.plain or "", text)
        if first is not text and text.plain is not None:
            also = (report.place(first, "first here"),)
            report("E0301", text, f"The scope `{text.plain}` is listed twice.", helps="Remove one of them.", also=also)
    told: set[str] = set()
    for node, target in called:
        missing = [scope for scope in target.scopes if scope not in listed and scope not in told]
        if not missing:
            continue
        told.update(missing)
        noun = "scope" if len(missing) == 1 else "scopes"
        added = "".join(f', "{scope}"' for scope in missing)
        report(
            "E0605",
            tree.Node(node.path[0].start, node.path[-1].end),
            f"`{written_path(node.path)}` needs the {noun} {', '.join(f'`{scope}`' for scope in missing)}.",
            helps=f"Add `{added[2:]}` to `scopes`.",
            also=(report.place(clauses[-1], "not among these"),),
            fixes=(report.insert(clauses[-1].texts[-1].end, added, f"Add `{added[2:]}` to `scopes`"),),
        )
    return tuple(dict.fromkeys(listed))
