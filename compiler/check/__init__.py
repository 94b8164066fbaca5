"""From a project to a program: every name resolved, every expression typed, every mistake told."""

from __future__ import annotations

from compiler.check.project import Checking, by_id
from compiler.program import Program
from compiler.project import Project
from dsl.diagnostics import Sink

__all__ = ["check"]


def check(project: Project, sink: Sink) -> Program:
    """The checked program. With mistakes it still holds what could be understood: look at `sink.has_errors`."""
    checking = Checking(project, sink)
    checking.run()
    return Program(
        project=project,
        chains=by_id(checking.checked),
        kinds=checking.kinds,
        types=checking.types,
        tests=tuple(checking.tests),
    )
