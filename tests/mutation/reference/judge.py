"""The verdict of the reference interpreter on a program: what goes wrong in so many runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from dsl import tree
from dsl.tree.walk import children
from tests.mutation.reference.chains import generated_inputs, run_adapter, run_chain
from tests.mutation.reference.faults import DesignFault, ShapeFault, TooLong
from tests.mutation.reference.generate import MODES, Generator, Vocabulary
from tests.mutation.reference.names import faults
from tests.mutation.reference.observed import Observed
from tests.mutation.reference.program import Module, Program, Sources
from tests.mutation.reference.scope import Run
from tests.mutation.reference.types import schema_of


@dataclass(frozen=True, slots=True)
class Verdict:
    """`shape`: the first fault that types must rule out, and the runs after which it came (0: names alone tell).

    `design`: the first fault that only a run can tell, which is no reason to refuse a program. `finished` runs got to
    their output.
    """

    shape: ShapeFault | None
    design: DesignFault | None
    runs: int
    finished: int


def judge(files: Mapping[str, tree.File], main: str, sources: Sources, runs: int, seed: int) -> Verdict:
    """Runs every chain of the main file, `runs` times in all chains together at least once each."""
    program = Program(files, sources, main)
    for module in program.modules.values():
        for fault in faults(module):
            return Verdict(fault, None, 0, 0)
    return _runs(program.main, runs, seed)


def vocabulary(module: Module) -> Vocabulary:
    """The literals of a file, and the types of its casts."""
    texts: set[str] = set()
    integers: set[int] = set()
    shapes = []
    waiting: list[tree.Node] = [*module.lets.values(), *module.chains.values()]
    while waiting:
        node = waiting.pop()
        match node:
            case tree.Text(plain=str(text)) if 0 < len(text) < 20:
                texts.add(text)
            case tree.Integer(value=value) if abs(value) < 1000:
                integers.add(value)
            case tree.Cast(type=type):
                shapes.append(schema_of(type, module))
        waiting.extend(children(node))
    return Vocabulary(tuple(sorted(texts)), tuple(sorted(integers)), tuple(shapes))


def _runs(module: Module, runs: int, seed: int) -> Verdict:
    observed = Observed()
    design: DesignFault | None = None
    finished = 0
    words = vocabulary(module)
    for number in range(runs):
        chance = Random(f"{seed}/{number}")
        for chain in module.chains.values():
            generator = Generator(chance, MODES[number % len(MODES)], words)
            run = Run(generator, observed, late=number % 2 == 1)
            adapters = [each for each in chain.members if isinstance(each, tree.Adapter)]
            try:
                if adapters and number % 3 == 2:
                    run_adapter(module, chain, adapters[number % len(adapters)], run)
                else:
                    run_chain(module, chain, generated_inputs(chain, module, run), run, chain.name)
                finished += 1
            except ShapeFault as fault:
                # A field that is missing is the cause of what follows from its being null.
                lacking = observed.lacking()
                return Verdict(ShapeFault(*lacking) if lacking else fault, design, number + 1, finished)
            except DesignFault as fault:
                design = design or fault
            except (TooLong, RecursionError):
                pass
    unlike = observed.fault()
    return Verdict(ShapeFault(*unlike) if unlike else None, design, runs, finished)
