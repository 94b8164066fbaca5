"""Names of chains as names of tools: a server offers more tools than its chains."""

from __future__ import annotations

import re
from typing import Final

from compiler.project import Project
from compiler.types.report import Report
from dsl import tree

OWN: Final = ("handle_read", "handle_describe", "resume_run", "find_tools", "describe_tool")
"""Tools that servers have beside those of the author."""

_TAKEN_BY_MODELS: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")
"""What the provider takes as the name of a tool."""


def check_tool_name(report: Report, at: tree.Name, project: Project) -> None:
    """E0306 where a public chain has the name of another tool of the server, E0711 where models cannot call it."""
    name = at.text
    if not _TAKEN_BY_MODELS.fullmatch(name):
        message = f"`{name}` has a name that OpenAI does not accept."
        report("E0711", at, message, helps="Give the chain a name of at most 64 letters, digits and `_`.")
        return
    hint = "Chains become tools under their names: pick another one, or make it `private`."
    if name in OWN:
        report("E0306", at, f"`{name}` is a tool that servers have by themselves.", helps=hint)
    elif "__" in name:
        for source in project.sources.values():
            for tool in source.tools.values():
                if name == re.sub(r"[^A-Za-z0-9_-]", "_", f"{source.name}__{tool.name}"):
                    message = (
                        f"`{name}` is the name under which a server offers `{tool.name}` of `{source.name}` itself."
                    )
                    report("E0306", at, message, helps=hint)
                    return
