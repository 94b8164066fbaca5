"""The whole pipeline on one screen.

 .chain ──load──▶ project ──check──▶ program ──lower──▶ plan + catalogue ──emit──▶ artefacts

Every stage returns its value and tells mistakes to the sink; after each stage there is a gate: nothing goes on with
errors. Later stages are imported when they are reached, so that checking stays quick.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from compiler.check import check as check_project
from compiler.loader import NO_DRAFTS, load
from compiler.loader.manifest import find_root
from compiler.program import Program
from dsl import tree
from dsl.diagnostics import Sink

if TYPE_CHECKING:
    from compiler.emit import Artefact, Bundle
    from stdlib.plan.catalogue import Catalogue
    from stdlib.plan.plan import Plan
    from stdlib.plan.scenario import Scenario


def check(path: Path, sink: Sink, drafts: Mapping[str, str] = NO_DRAFTS) -> Program | None:
    """The project proven to fit its tools. `drafts`: see `load`."""
    loaded = load(path, sink, drafts)
    if loaded is None:
        return None
    program = check_project(loaded, sink)
    return None if sink.has_errors else program


def plan(path: Path, sink: Sink) -> tuple[Plan, Catalogue] | None:
    """What the runtime executes and what reviewers read."""
    program = check(path, sink)
    if program is None:
        return None
    from compiler.lower import lower

    return lower(program)


def plan_of_chain(path: Path, chain: str, sink: Sink) -> tuple[Plan, tuple[str, ...]] | None:
    """What runs `chain`: of the whole project, else of the one file that declares it with what that imports, where the
    mistakes stand in other files; those are named. None where they do not, and `sink` has them."""
    loaded = load(path, sink)
    if loaded is None:
        return None
    program = check_project(loaded, sink)
    from compiler.lower import lower

    if not sink.has_errors:
        return lower(program)[0], ()
    wrong = {each.span.source.path if each.span else "" for each in sink if each.severity == "error"}
    homes = [each for each in loaded.entries if _declares(loaded.modules[each].file, chain)]
    if len(homes) != 1 or not wrong <= set(loaded.modules):
        return None
    alone = plan(Path(loaded.root) / homes[0], Sink())
    return None if alone is None else (alone[0], tuple(sorted(wrong)))


def _declares(file: tree.File, chain: str) -> bool:
    return any(isinstance(each, tree.Chain) and each.name.text == chain for each in file.items)


def scenarios(path: Path, sink: Sink) -> tuple[Plan, tuple[Scenario, ...]] | None:
    """What the runtime executes, and the tests of the project that run on it."""
    program = check(path, sink)
    if program is None:
        return None
    from compiler.lower import lower, lower_scenarios

    return lower(program)[0], lower_scenarios(program)


def bundle(path: Path, sink: Sink) -> Bundle | None:
    """The project compiled: plan, catalogue, and the settings of its manifest."""
    program = check(path, sink)
    if program is None:
        return None
    from compiler.emit import Bundle
    from compiler.lower import lower, lower_files

    executable, catalogue = lower(program)
    files = lower_files(program.project, executable)
    return Bundle(plan=executable, catalogue=catalogue, settings=program.project.settings, files=files)


def build(path: Path, sink: Sink) -> tuple[Artefact, ...] | None:
    """Every file of the bundle, as (path below the output folder, text); nothing is written here."""
    made = bundle(path, sink)
    root = find_root(path)
    if made is None or root is None:
        return None
    from compiler.emit import emit
    from compiler.emit.programs import tell_files_left_behind

    artefacts = emit(made, sink)
    tell_files_left_behind(made.plan, root, sink)
    return None if sink.has_errors else tuple(artefacts)
