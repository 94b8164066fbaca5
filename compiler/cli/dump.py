"""`chainc dump`: what a stage makes of a file, for those who look into the compiler."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from compiler.cli import terminal
from compiler.cli.arguments import Parser, choice
from compiler.cli.exits import Usage
from compiler.cli.place import outcome, place
from dsl.diagnostics import Sink

if TYPE_CHECKING:
    from compiler.program import ChainGraph
    from dsl.source import Source
    from dsl.tree import Node

OPENAI = "openai.tools.json"


def arguments() -> Parser:
    parser = Parser(
        "chainc dump",
        "Shows what a stage makes of a file. tokens and tree are of the file alone; types, graph, plan, catalogue and "
        "openai are of the project it belongs to.",
        [("chainc dump tree chains/a.chain", "the syntax tree"), ("chainc dump plan .", "what the runtime executes")],
    )
    parser.operand("stage", type=choice("stage", list(STAGES)), help=", ".join(STAGES))
    parser.operand("file", help="a .chain file; for later stages also a project")
    return parser


def run(options: argparse.Namespace) -> int:
    where = place(options.file, options)
    sink = Sink()
    text = STAGES[options.stage](where.path, sink)
    if text is not None:
        terminal.out(text if text.endswith("\n") else text + "\n")
    if options.stage in ("tokens", "tree"):  # of the file alone: named as it was given
        terminal.show(sink, sys.stderr)
    else:
        where.tell(sink)
    return outcome(sink)


def _tokens(path: Path, sink: Sink) -> str:
    from dsl.lexer import lex

    source = _source(path)
    lexed = lex(source)
    sink.extend(lexed.diagnostics)
    places = ((*source.position(token.start), token) for token in lexed.tokens)
    return "".join(f"{f'{line}:{column}':<8}{token.kind:<12}{token.text!r}\n" for line, column, token in places)


def _tree(path: Path, sink: Sink) -> str:
    from dsl.dump import dump
    from dsl.parser import parse

    return dump(parse(_source(path), sink))


def _types(path: Path, sink: Sink) -> str | None:
    """The type of every expression, in the order of the text; long ones are cut."""
    from compiler import driver
    from dsl.tree.walk import children
    from stdlib.values.show import show

    program = driver.check(path, sink)
    if program is None:
        return None
    lines = []
    for module in program.project.modules.values():
        lines.append(f"file {module.path}")
        source = module.file.source
        waiting: list[Node] = list(reversed(module.file.items))
        while waiting:
            node = waiting.pop()
            waiting += reversed(list(children(node)))
            if id(node) in program.types:
                line, column = source.position(node.start)
                written = " ".join(source.text[node.start : node.end].split())
                lines.append(f"  {f'{line}:{column}':<8}{written}: {show(program.type_of(node))}")
    return "\n".join(lines)


def _graph(path: Path, sink: Sink) -> str | None:
    from compiler import driver

    program = driver.check(path, sink)
    if program is None:
        return None
    parts = ("\n".join([f"chain {name}", *_edges(chain.graph, "  ")]) for name, chain in program.chains.items())
    return "\n\n".join(parts) + "\n"


def _edges(graph: ChainGraph, indent: str) -> Iterator[str]:
    for name in graph.order:
        needs = graph.needs.get(name, ())
        yield f"{indent}{name}" + (f" <- {', '.join(needs)}" if needs else "")
        if name in graph.bodies:
            yield from _edges(graph.bodies[name], indent + "  ")


def _plan(path: Path, sink: Sink) -> str | None:
    from compiler import driver
    from stdlib.plan.document import to_text

    made = driver.plan(path, sink)
    return None if made is None else to_text(made[0])


def _catalogue(path: Path, sink: Sink) -> str | None:
    from compiler import driver
    from stdlib.plan.document import to_text

    made = driver.plan(path, sink)
    return None if made is None else to_text(made[1])


def _openai(path: Path, sink: Sink) -> str | None:
    from compiler import driver

    artefacts = driver.build(path, sink) or ()
    return next((artefact.text for artefact in artefacts if artefact.path == OPENAI), None)


STAGES: dict[str, Callable[[Path, Sink], str | None]] = {
    "tokens": _tokens,
    "tree": _tree,
    "types": _types,
    "graph": _graph,
    "plan": _plan,
    "catalogue": _catalogue,
    "openai": _openai,
}


def _source(path: Path) -> Source:
    from dsl.source import Source

    try:
        return Source(path.as_posix(), path.read_bytes().decode())
    except (OSError, UnicodeDecodeError):
        raise Usage(f"`{path}` is no text file in UTF-8.") from None
