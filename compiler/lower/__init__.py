"""Program → plan and catalogue. Nothing is checked here: the program is known to be right."""

from __future__ import annotations

from compiler.lower.catalogue import lower_catalogue
from compiler.lower.chains import lower_chain
from compiler.lower.scenarios import lower_scenarios
from compiler.lower.sources import lower_files, lower_sources, tool_keys
from compiler.program import Program
from compiler.types.to_schema import to_schema
from stdlib.plan.catalogue import Catalogue
from stdlib.plan.plan import Allowance, Kind, Limits, Network, Plan, Secret

__all__ = ["lower", "lower_files", "lower_scenarios"]


def lower(program: Program) -> tuple[Plan, Catalogue]:
    """The executable plan of all chains, and the contracts of the visible ones."""
    settings = program.project.settings
    keys = tool_keys(program)
    plan = Plan(
        name=settings.name,
        version=settings.version,
        sources=lower_sources(program, keys),
        kinds={name: Kind(json_schema=to_schema(type_, output=True)) for name, type_ in sorted(program.kinds.items())},
        chains={id: lower_chain(program, program.chains[id], keys) for id in sorted(program.chains)},
        limits=Limits(
            inline_bytes=settings.inline_limit,
            result_bytes=settings.result_limit,
            handle_bytes=settings.handle_limit,
            replay_ms=settings.replay_window,
            principal=Allowance.model_validate(settings.limits.get("principal", {})),
            session=Allowance.model_validate(settings.limits.get("session", {})),
        ),
        network=Network(hosts=settings.hosts, private_networks=settings.private_networks, roots=settings.roots),
        mask=tuple(Secret(name=name, pattern=pattern) for name, pattern in settings.mask),
    )
    return plan, lower_catalogue(program, plan)
