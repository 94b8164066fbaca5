"""The sources of a plan: how to reach them, and the tools that its chains call."""

from __future__ import annotations

from collections.abc import Mapping

from compiler.lower.commands import lower_invocation
from compiler.program import Program, ToolSignature
from compiler.project import (
    Annotations,
    CommandProgram,
    HttpServer,
    LockedSource,
    LockedTool,
    OpenApiService,
    Project,
    PythonModule,
    StandardModule,
    StdioServer,
)
from stdlib.plan import plan
from stdlib.plan.openapi import Operation


def tool_keys(program: Program) -> dict[int, str]:
    """The key of every called tool in its source, by `id(signature)`.

    It is the tool's name; two files that claim different things about one tool get `NAME` and `NAME#2`.
    """
    keys: dict[int, str] = {}
    taken: dict[tuple[str, str], list[tuple[plan.Tool, plan.Invocation | None]]] = {}
    for signature in _called(program):
        variants = taken.setdefault((signature.source, signature.tool.name), [])
        tool = (_tool(signature), lower_invocation(program, signature))
        if tool not in variants:
            variants.append(tool)
        number = variants.index(tool) + 1
        keys[id(signature)] = signature.tool.name if number == 1 else f"{signature.tool.name}#{number}"
    return keys


def lower_sources(program: Program, keys: dict[int, str]) -> dict[str, plan.Source]:
    """Sources by name, tools by key; only what is called is there."""
    used: dict[str, dict[str, ToolSignature]] = {}
    for signature in _called(program):
        used.setdefault(signature.source, {})[keys[id(signature)]] = signature
    aliases = _aliases(program.project)
    return {
        name: _source(program, program.project.sources[name], aliases.get(name), used[name]) for name in sorted(used)
    }


def _aliases(project: Project) -> dict[str, str]:
    """What the first file that imports a source calls it."""
    found: dict[str, str] = {}
    for _, module in sorted(project.modules.items()):
        for alias, source in module.source_imports.items():
            found.setdefault(source, alias)
    return found


def _source(program: Program, source: LockedSource, alias: str | None, used: dict[str, ToolSignature]) -> plan.Source:
    signatures = dict(sorted(used.items()))
    return plan.Source(
        kind=source.kind,
        transport=_transport(program, source, signatures),
        server=source.server or None,
        alias=alias if alias != source.name else None,
        tools={key: _tool(signature) for key, signature in signatures.items()},
    )


def _effects(effects: Annotations) -> plan.Effects:
    return plan.Effects(
        read_only=effects.read_only,
        idempotent=effects.idempotent,
        destructive=effects.destructive,
        open_world=effects.open_world,
    )


def lower_tool(source: LockedSource, tool: LockedTool) -> plan.Source:
    """A source with one of its tools as it is offered, for a call beside all chains. Its tools are locked, so it is no
    command and no module of the standard library."""
    effects = tool.annotations or Annotations()
    made = plan.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        effects=_effects(effects),
        scopes=tool.scopes,
        digest=tool.digest,
    )
    transport: plan.Transport
    match source.transport:
        case OpenApiService() as service:
            transport = _service(source, service, {tool.name: tool})
        case way:
            transport = _way(way)
    return plan.Source(kind=source.kind, transport=transport, server=source.server or None, tools={tool.name: made})


def lower_files(project: Project, made: plan.Plan) -> dict[str, str]:
    """The files that sources of a plan run, by their path in it."""
    found = {}
    for name, source in made.sources.items():
        text = project.sources[name].text
        if source.transport.kind == "python" and source.transport.file is not None and text is not None:
            found[source.transport.file] = text
    return dict(sorted(found.items()))


def _called(program: Program) -> list[ToolSignature]:
    """The tools that chains call, then those that only tests name."""
    meant = [s for _, c in sorted(program.chains.items()) for s in c.calls.values()]
    meant += [target for test in program.tests for target in test.targets.values() if not isinstance(target, str)]
    return [signature for signature in meant if isinstance(signature, ToolSignature)]


def _transport(program: Program, source: LockedSource, used: dict[str, ToolSignature]) -> plan.Transport:
    match source.transport:
        case OpenApiService() as service:
            return _service(source, service, {key: signature.tool for key, signature in used.items()})
        case CommandProgram(program=name, env=env, cwd=cwd):
            made = {key: lower_invocation(program, signature) for key, signature in used.items()}
            runs = {key: invocation for key, invocation in made.items() if invocation is not None}
            return plan.Command(program=name, env=env, cwd=cwd, invocations=runs)
        case way:
            return _way(way)


def _service(source: LockedSource, service: OpenApiService, tools: Mapping[str, LockedTool]) -> plan.OpenApi:
    """The manifest's `base_url` holds for every operation, whatever an older lock has of servers of their own."""
    operations = {key: Operation.model_validate(tool.binding) for key, tool in tools.items()}
    made = plan.OpenApi.model_validate({**(source.service or {}), "operations": operations})
    return made if service.base_url is None else made.at(made.base_url)


def _way(transport: StdioServer | HttpServer | PythonModule | StandardModule | CommandProgram) -> plan.Transport:
    """How a source is reached where its tools make no difference."""
    match transport:
        case StdioServer(command=command, args=args, env=env, cwd=cwd):
            return plan.Stdio(command=command, args=args, env=env, cwd=cwd)
        case HttpServer(url=url, headers=headers):
            return plan.Http(url=url, headers=dict(headers))
        case PythonModule(file=file, module=module):
            return plan.Python(file=file, module=module)
        case StandardModule(name=name):
            return plan.Std(name=name)
        case CommandProgram(program=name, env=env, cwd=cwd):
            return plan.Command(program=name, env=env, cwd=cwd, invocations={})


def _tool(signature: ToolSignature) -> plan.Tool:
    tool, effects = signature.tool, signature.effects
    return plan.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        result_schema=signature.result_schema,
        parse=plan.ParseRule(mode=signature.parse.mode, pattern=signature.parse.pattern) if signature.parse else None,
        handle=signature.handle,
        effects=_effects(effects),
        cost=signature.cost,
        scopes=signature.scopes,
        digest=tool.digest,
    )
