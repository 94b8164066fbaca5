"""openai.tools.json: the visible chains as function tools of the Responses API, and how their arguments are decoded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from compiler.emit.artefact import Artefact, Bundle
from compiler.emit.strict import Refused, Strict, Unencodable, encode, lower
from dsl.diagnostics import Diagnostic, Sink
from stdlib.plan.catalogue import Entry, Example
from stdlib.plan.document import json_text

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
DECODERS_FORMAT = "chainc.decoders/1"


def emit_openai(bundle: Bundle, sink: Sink) -> Iterator[Artefact]:
    """The tools in the order of their ids. `openai.decoders.json` holds a program of `stdlib.runtime.decode` for each
    strict tool."""
    tools: list[dict[str, Any]] = []
    for entry in bundle.visible():
        if not _NAME.fullmatch(entry.id):
            sink.add(_diagnostic("E0711", entry, "has a name that OpenAI does not accept", (_SHORTER,)))
            continue
        lowered = _lowered(bundle, entry)
        if isinstance(lowered, Strict):
            tools.append(_tool(_with_strict_examples(entry, lowered), lowered.schema, strict=True))
            continue
        _tell(bundle, entry, lowered, sink)
        if bundle.settings.openai_policy != "refuse":
            tools.append(_tool(entry, entry.input.json_schema, strict=False))
    yield Artefact("openai.tools.json", json_text(tools))
    yield Artefact("openai.decoders.json", decoders_of(bundle))


def decoders_of(bundle: Bundle) -> str:
    """The decoder programs of all strict tools by tool, as the text of a file."""
    lowered = {entry.id: _lowered(bundle, entry) for entry in bundle.visible() if _NAME.fullmatch(entry.id)}
    programs = {name: each.decoder for name, each in lowered.items() if isinstance(each, Strict)}
    return json_text({"format": DECODERS_FORMAT, "tools": programs})


def _lowered(bundle: Bundle, entry: Entry) -> Strict | Refused:
    return lower(entry.input.json_schema, bundle.settings.openai_policy, absent_is_null=True)


_SHORTER = "Give the chain a name of at most 64 letters, digits and `_`."


def _tool(entry: Entry, parameters: dict[str, Any], *, strict: bool) -> dict[str, Any]:
    return {
        "type": "function",
        "name": entry.id,
        "description": entry.prompt_text,
        "parameters": {key: value for key, value in parameters.items() if key != "$schema"},
        "strict": strict,
    }


def _with_strict_examples(entry: Entry, strict: Strict) -> Entry:
    """The entry with the arguments of its examples in the form that the strict schema asks for."""

    def encoded(example: Example) -> Example:
        try:
            return Example(request=example.request, arguments=encode(strict.decoder, example.arguments))
        except Unencodable:
            return example

    examples = tuple(encoded(each) for each in entry.selection.examples)
    return entry.model_copy(update={"selection": entry.selection.model_copy(update={"examples": examples})})


def _tell(bundle: Bundle, entry: Entry, refused: Refused, sink: Sink) -> None:
    """What strict mode cannot say: an error where the author wants none of it, a warning where it is a surprise."""
    where = _input_name(refused.path)
    reason = f"its input `{where}` cannot be said: {refused.reason}" if where else refused.reason
    policy = bundle.settings.openai_policy
    if policy == "refuse":
        helps = ('Change the input, or set `policy = "encode"` under `[providers.openai]` in the manifest.',)
        sink.add(_diagnostic("E0710", entry, f"does not fit OpenAI's strict mode: {reason}", helps))
    elif policy != "non_strict":
        helps = ('Change the input, or set `policy = "non_strict"` to say that this is fine.',)
        sink.add(_diagnostic("W0712", entry, f"goes to OpenAI without strict mode: {reason}", helps))


def _input_name(path: str) -> str:
    tokens = path.split("/")
    return tokens[2].replace("~1", "/").replace("~0", "~") if tokens[1:2] == ["properties"] and len(tokens) > 2 else ""


def _diagnostic(code: str, entry: Entry, message: str, helps: tuple[str, ...]) -> Diagnostic:
    place = f"`{entry.id}` stands in {entry.source.file}, line {entry.source.line}."
    return Diagnostic(code=code, message=f"`{entry.id}` {message}.", span=None, notes=(place,), helps=helps)
