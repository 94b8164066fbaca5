"""What a source offers now, held against its lock."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from compiler.loader.files import Refused
from compiler.loader.lock import Lock
from compiler.loader.lock_shape import alias_of, aliases_of, visible
from compiler.sources.changed_pages import changed_pages
from compiler.sources.changes import changes
from compiler.sources.report import SourceReport, ToolChange
from compiler.sources.ways import changed_files, changed_keys, changed_service, changed_way


def compare(name: str, before: Lock | Refused, value: dict[str, Any]) -> SourceReport:
    """What changed in the source `name` since its lock was written. `value`: what a lock of now would hold."""
    new = {tool["offered"]["name"]: tool["offered"] for tool in value["tools"]}
    server, notes = _called(value["server"]), tuple(_one_word(new))
    if isinstance(before, Refused):
        return SourceReport(name, "new", len(new), server, notes=notes)
    old, pages, paged = before.tools, before.pages, Lock(value).pages
    found = [ToolChange(each, "removed") for each in old if each not in new]
    found += [ToolChange(each, "added") for each in new if each not in old]
    for each in old:
        words = (*changes(old[each], new[each]), *changed_pages(pages[each], paged[each])) if each in new else ()
        if words:
            found.append(ToolChange(each, "changed", words))
    was_asked, is_asked = before.value["asked"], value["asked"]
    about = list(changed_way(was_asked, is_asked))
    told = changed_keys(was_asked, is_asked)
    about += changed_service(before.value.get("service"), value.get("service"), told)
    about += changed_files(before.value.get("files", {}), value.get("files", {}), bool(found))
    for which in ("server", "package"):
        was, now = _called(before.value.get(which)), _called(value.get(which))
        if was != now and (which == "server" or (was and now)):
            what = "it" if which == "server" else "its package"
            about.append(f"{what} was {was or 'without a name'} and is {now or 'without a name'}")
    if "digest" in value and "digest" not in before.value:  # it was written before there was one, or edited
        about.append("its lock keeps no digest of how its service is reached")
    elif value.get("digest") != before.value.get("digest") and not about:
        about.append("its lock does not keep the files that it is read from")
    outcome = "changed" if found or about else "same"
    return SourceReport(
        name, "changed" if outcome == "changed" else "same", len(new), server, tuple(found), tuple(about), notes
    )


def _one_word(tools: Iterable[str]) -> Iterator[str]:
    """Tools that one word may mean, and how chains write them."""
    written = aliases_of(tools)
    for word, names in groupby(sorted(written, key=alias_of), alias_of):
        same = list(names)
        if len(same) > 1:
            means = f"the word `{word}` means the first" if word in same else f"the word `{word}` means none of them"
            ordered = sorted(same, key=lambda each: (each != word, each))
            shown = ", ".join(f"`{each}`" for each in ordered)
            others = ", ".join(f"`{written[each]}`" for each in ordered if each != word)
            yield f"of {shown} {means}; write {others} in chains"


def _called(server: dict[str, str] | None) -> str:
    """How a server calls itself, or a package is called, with nothing hidden in it."""
    return "" if server is None else visible(f"{server['name']} {server['version']}".strip())
