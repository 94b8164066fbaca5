"""Chains that call the tools of the corpus: what the checker says of arguments that fit, and of those that do not."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compiler.check import check
from compiler.project import LockedSource, Module, Project, Settings
from dsl.diagnostics import Diagnostic, Sink
from dsl.parser import parse
from dsl.source import Source
from stdlib.runtime.schema import Shape
from tests.graphs.writing import named, scalar
from tests.tools.samples import Faulty, Schema
from tests.tools.specifications import Corpus, Imported

KINDS = ("missing required", "wrong type", "unknown name", "out of enum", "out of bounds")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one tool. `refused`: arguments that fit, and what the checker has against them; `missed`: faulty
    ones that it lets through. `seeded` counts the faulty ones by kind."""

    tool: Imported
    accepted: int
    refused: tuple[tuple[dict[str, Any], Diagnostic], ...]
    seeded: Mapping[str, int]
    missed: tuple[Faulty, ...]

    @property
    def left_to_run_time(self) -> tuple[Faulty, ...]:
        """What the types do not say, as the import told, and the schema refuses when the chain runs."""
        if not self.tool.notes:
            return ()
        shape = Shape(self.tool.schema)
        return tuple(each for each in self.missed if shape.mismatch(each.arguments) is not None)

    @property
    def wrong(self) -> bool:
        return bool(self.refused) or len(self.left_to_run_time) != len(self.missed)


def tried(corpus: Corpus, tool: Imported, *, most: int | None = None) -> Outcome:
    """Every change of all arguments and of the required ones; with `most` only so many of each kind."""
    schema = Schema(tool.schema)
    least, all_ = schema.sample(full=False), schema.sample(full=True)
    fitting = [least] if least == all_ else [least, all_]
    faulty: dict[str, Faulty] = {}
    counts: dict[str, int] = {}
    for each in (found for arguments in reversed(fitting) for found in schema.faulty(arguments)):
        key = repr(each.arguments)
        if key not in faulty and (most is None or counts.get(each.kind, 0) < most):
            faulty[key] = each
            counts[each.kind] = counts.get(each.kind, 0) + 1
    seeded = list(faulty.values())
    found = _verdicts(corpus.sources, tool, [*fitting, *(each.arguments for each in seeded)])
    refused = [(arguments, found[i][0]) for i, arguments in enumerate(fitting) if found[i]]
    missed = [each for i, each in enumerate(seeded, len(fitting)) if not found[i]]
    return Outcome(tool, len(fitting) - len(refused), tuple(refused), counts, tuple(missed))


def _verdicts(
    sources: Mapping[str, LockedSource], tool: Imported, calls: Sequence[dict[str, Any]]
) -> list[list[Diagnostic]]:
    """What the checker has against each call; every one is in a chain of its own."""
    texts = [f'import tools from mcp "{tool.source}"\n']
    for number, arguments in enumerate(calls):
        name = named(tool.name) if number % 2 else tool.alias
        given = ", ".join(f"{named(key)}: {literal(value)}" for key, value in arguments.items())
        texts.append(f"chain c{number} {{ step it = tools.{name}({given})\n  output = true }}\n")
    starts = [sum(map(len, texts[:1]))]
    for text in texts[1:]:
        starts.append(starts[-1] + len(text))
    sink = Sink()
    file = parse(Source("tools.chain", "".join(texts)), sink)
    module = Module(file.source.path, file, {}, {"tools": tool.source})
    check(Project(".", Settings("tools", "1.0.0"), {module.path: module}, (module.path,), sources), sink)
    found: list[list[Diagnostic]] = [[] for _ in calls]
    for each in sink:
        if each.severity == "error":
            assert each.span is not None
            assert each.code[:3] not in ("E00", "E01"), each
            found[bisect_right(starts, each.span.start) - 1].append(each)
    return found


def literal(value: Any) -> str:
    """A JSON value in the language."""
    if isinstance(value, list):
        return "[" + ", ".join(map(literal, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{named(key)}: {literal(each)}" for key, each in value.items()) + "}"
    return scalar(value)
