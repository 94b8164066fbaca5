"""The sources of a plan: how to reach them, and the tools that its chains call."""

from __future__ import annotations

from compiler.program import Program, ToolSignature
from compiler.project import HttpServer, LockedSource, StdioServer
from stdlib.plan import plan


def tool_keys(program: Program) -> dict[int, str]:
    """The key of every called tool in its source, by `id(signature)`.

    It is the tool's name; two files that claim different things about one tool get `NAME` and `NAME#2`.
    """
    keys: dict[int, str] = {}
    taken: dict[tuple[str, str], list[plan.Tool]] = {}
    for signature in _called(program):
        variants = taken.setdefault((signature.source, signature.tool.name), [])
        tool = _tool(signature)
        if tool not in variants:
            variants.append(tool)
        number = variants.index(tool) + 1
        keys[id(signature)] = signature.tool.name if number == 1 else f"{signature.tool.name}#{number}"
    return keys


def lower_sources(program: Program, keys: dict[int, str]) -> dict[str, plan.Source]:
    """Sources by name, tools by key; only what is called is there."""
    used: dict[str, dict[str, plan.Tool]] = {}
    for signature in _called(program):
        used.setdefault(signature.source, {})[keys[id(signature)]] = _tool(signature)
    sources = program.project.sources
    return {
        name: plan.Source(
            transport=_transport(sources[name]),
            server=sources[name].server,
            tools=dict(sorted(used[name].items())),
        )
        for name in sorted(used)
    }


def _called(program: Program) -> list[ToolSignature]:
    """The tools that chains call, then those that only tests name."""
    meant = [s for _, c in sorted(program.chains.items()) for s in c.calls.values()]
    meant += [target for test in program.tests for target in test.targets.values() if not isinstance(target, str)]
    return [signature for signature in meant if isinstance(signature, ToolSignature)]


def _transport(source: LockedSource) -> plan.Stdio | plan.Http:
    match source.transport:
        case StdioServer(command=command, args=args, env=env, cwd=cwd):
            return plan.Stdio(command=command, args=args, env=env, cwd=cwd)
        case HttpServer(url=url, headers=headers):
            return plan.Http(url=url, headers=dict(headers))


def _tool(signature: ToolSignature) -> plan.Tool:
    tool, effects = signature.tool, signature.effects
    return plan.Tool(
        name=tool.name,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        result_schema=signature.result_schema,
        parse=plan.ParseRule(mode=signature.parse.mode, pattern=signature.parse.pattern) if signature.parse else None,
        effects=plan.Effects(
            read_only=effects.read_only,
            idempotent=effects.idempotent,
            destructive=effects.destructive,
            open_world=effects.open_world,
        ),
        digest=tool.digest,
    )
