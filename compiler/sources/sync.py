"""Asks the sources of a project what they offer, compares with the lock, and writes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from compiler.loader.files import Folder, Refused
from compiler.loader.load import locked_by_name
from compiler.loader.lock import Lock, read_lock
from compiler.loader.lock_shape import lock_path, visible
from compiler.loader.manifest import ManifestSource, read_manifest
from compiler.loader.near import did_you_mean
from compiler.loader.unpinned import tell_unpinned
from compiler.project import HttpServer, PythonModule, Settings, StdioServer
from compiler.sources.asking import ask_source
from compiler.sources.atomic import write_text
from compiler.sources.compare import compare
from compiler.sources.lock_text import Unfit, lock_text, lock_value
from compiler.sources.offer import Failure, LeftOut, Offer
from compiler.sources.report import SourceReport, SyncReport
from compiler.sources.trust import Ask, Question, Sending, Trust, agreed, sent_by
from dsl.diagnostics import Diagnostic, Sink

Accept = Callable[[SourceReport], bool]
"""Is shown what changed in a source and gives the answer."""

Waiting = Callable[[str, float], None]
"""Is told the name of a source that has not answered for a while, and how many seconds it has in all."""

TIMEOUT = 60.0
"""Seconds that a server has to start and to list its tools."""
PATIENCE = 2.0
"""Seconds after which somebody is told what is waited for."""
MOST_TOLD = 20
"""Of what is no tool of a source so many are told one by one."""


def sync(
    root: Path,
    names: Iterable[str],
    sink: Sink,
    *,
    write: bool,
    ask: Ask | None,
    trust: Trust | None = None,
    accept: Accept | None = None,
    waiting: Waiting | None = None,
    timeout: float = TIMEOUT,
) -> SyncReport | None:
    """Ask the sources `names` (none: all) of the project in `root`, all at once; one that fails does not stop others.

    With `write` the locks are brought up to date, without it a difference is E0205 (or E0219: there is no lock).
    A lock that would change is written where `accept` agrees to what changed; None agrees to everything.
    `ask` is called before a program is started, or variables are sent to a server, that this user has not agreed to;
    None agrees to all of them. `waiting` is told once of each source that makes us wait.
    None where the manifest is wrong.
    """
    folder = Folder(root)
    manifest = read_manifest(folder, sink)
    if manifest is None:
        return None
    tell_unpinned(folder, manifest, sink)
    wanted = _wanted(locked_by_name(folder, manifest), list(names), sink)
    allowed = [entry for entry in wanted if _allowed(root, entry, ask, trust or Trust(), sink)]
    for entry in allowed:
        _tell_unset(entry, sink)
    answers = _ask_all(folder, allowed, manifest.settings, timeout, waiting)
    one = _Sync(folder, sink, write, accept)
    reports = [
        one.source(entry, answers[entry.name]) if entry.name in answers else SourceReport(entry.name, "failed")
        for entry in wanted
    ]
    return SyncReport(tuple(reports), tuple(one.written))


def _wanted(sources: dict[str, ManifestSource], names: list[str], sink: Sink) -> list[ManifestSource]:
    for name in dict.fromkeys(names):
        if name not in sources:
            hint = did_you_mean(name, sources) or "Its sources are: " + ", ".join(sources) + "."
            helps = (hint,) if sources else ()
            what = f"The manifest has no source `{name}`."
            sink.add(Diagnostic(code="E0218", message=what, span=None, helps=helps))
    usable = [entry for entry in sources.values() if entry.transport is not None]
    return [entry for entry in usable if not names or entry.name in names]


def _allowed(root: Path, entry: ManifestSource, ask: Ask | None, trust: Trust, sink: Sink) -> bool:
    way = entry.transport
    needs = (
        sent_by(way) if isinstance(way, HttpServer) else way if isinstance(way, StdioServer | PythonModule) else None
    )
    if needs is None:
        return True
    question = Question(entry.name, needs)
    if agreed(root, question, ask, trust):
        return True
    which = "what is sent to it" if isinstance(needs, Sending) else "its program"
    why = question.too_long or f"{which} was not agreed to"
    hint = "Write less there, or pass `--trust`." if question.too_long else "Answer yes, or pass `--trust`."
    sink.add(Diagnostic(code="E0226", message=f"`{entry.name}` was not asked: {why}.", span=entry.span, helps=(hint,)))
    return False


def _tell_unset(entry: ManifestSource, sink: Sink) -> None:
    """W0237 where a variable that a program is to get is not set."""
    from stdlib.connect.unset import unset, unset_words

    missing = unset(entry.transport.env) if isinstance(entry.transport, StdioServer) else ()
    if missing:
        words = unset_words(missing, entry.name)
        what = f"{words[0].upper()}{words[1:]}."
        hint = "Set it where chainc and the server start, or take it out of `env` if the program does without it."
        sink.add(Diagnostic(code="W0237", message=what, span=entry.span, helps=(hint,)))


def _ask_all(
    folder: Folder, entries: list[ManifestSource], settings: Settings, timeout: float, waiting: Waiting | None
) -> dict[str, Offer | Failure]:
    """What every source answered, by name."""
    if not entries:
        return {}
    import asyncio

    async def one(entry: ManifestSource) -> Offer | Failure:
        told = None
        if waiting is not None:
            told = asyncio.get_running_loop().call_later(PATIENCE, waiting, entry.name, timeout)
        try:
            return await ask_source(folder, entry, settings, timeout)
        finally:
            if told is not None:
                told.cancel()

    async def every() -> list[Offer | Failure]:
        return await asyncio.gather(*map(one, entries))

    return {entry.name: answer for entry, answer in zip(entries, asyncio.run(every()), strict=True)}


@dataclass(slots=True)
class _Sync:
    folder: Folder
    sink: Sink
    write: bool
    accept: Accept | None = None
    written: list[str] = field(default_factory=list)

    def source(self, entry: ManifestSource, answer: Offer | Failure) -> SourceReport:
        """Compare one answer with its lock, and write or tell."""
        assert entry.transport is not None
        if isinstance(answer, Failure):
            return self.failed(entry, answer.code, answer.message, answer.help)
        self.told(entry, answer)
        before = read_lock(self.folder, entry.name)
        try:
            known = before.value if isinstance(before, Lock) else {}
            value = lock_value(entry.name, entry.transport, answer, known)
            text = lock_text(value)
        except Unfit as unfit:
            who = f"The server of `{entry.name}`" if entry.kind == "mcp" else f"`{entry.name}`"
            return self.failed(entry, unfit.code, f"{who} {unfit.why}.", "")
        report = compare(entry.name, before, value)
        if not self.write:
            self.tell(entry, report, before)
        elif report.outcome == "changed" and self.accept is not None and not self.accept(report):
            return replace(report, outcome="declined")
        elif not self.save(entry, text):
            return SourceReport(entry.name, "failed")
        return report

    def failed(self, entry: ManifestSource, code: str, message: str, hint: str) -> SourceReport:
        helps = (hint,) if hint else ()
        self.sink.add(Diagnostic(code=code, message=message, span=entry.span, helps=helps))
        return SourceReport(entry.name, "failed")

    def told(self, entry: ManifestSource, answer: Offer) -> None:
        """What is no tool, and why, and what tools lack."""
        left_out = () if answer.left_out_together else answer.left_out
        if answer.left_out_together:
            self.sink.add(Diagnostic(code="W0229", message=visible(answer.left_out_together, 600), span=entry.span))
        for each in left_out[:MOST_TOLD]:
            self.told_of(entry, each, " is no tool")
        if len(left_out) > MOST_TOLD:
            what = f"`{entry.name}` has {len(left_out) - MOST_TOLD} more that are no tools."
            self.sink.add(Diagnostic(code="W0229", message=what, span=entry.span))

        for each in answer.remarks[:MOST_TOLD]:
            self.told_of(entry, each, "")
        if len(answer.remarks) > MOST_TOLD:
            what = f"`{entry.name}` has {len(answer.remarks) - MOST_TOLD} more that are not as its document says."
            self.sink.add(Diagnostic(code="W0229", message=what, span=entry.span))

    def told_of(self, entry: ManifestSource, what: LeftOut, verb: str) -> None:
        message = f"`{visible(what.name)}` of `{entry.name}`{verb}: {what.why[:1].lower()}{what.why[1:]}"
        notes = (f"It stands at `{visible(what.place, 400)}`.",) if what.place else ()
        self.sink.add(Diagnostic(code="W0229", message=message, span=entry.span, notes=notes))

    def tell(self, entry: ManifestSource, report: SourceReport, before: Lock | Refused) -> None:
        """Without writing a difference is a mistake of the lock."""
        if isinstance(before, Refused):
            self.failed(entry, before.code, before.message, before.help)
            return
        differences = [*map(str, report.changes), *report.about]
        if report.outcome == "changed":
            it = "the server" if entry.kind == "mcp" else "what it is now"
            what = f"The saved description of `{entry.name}` does not match {it}: {differences[0]}."
            more = tuple(f"Also, {each}." for each in differences[1:])
            helps = (f"Run `chainc sync {entry.name}` and look at the diff.",)
            self.sink.add(Diagnostic(code="E0205", message=what, span=entry.span, notes=more, helps=helps))

    def save(self, entry: ManifestSource, text: str) -> bool:
        path = lock_path(entry.name)
        escapes = self.folder.escapes(path)
        if escapes:
            self.failed(entry, escapes.code, escapes.message, escapes.help)
            return False
        if self.folder.text(path, len(text.encode())) == text:
            return True
        try:
            (self.folder.root / path).parent.mkdir(parents=True, exist_ok=True)
            write_text(self.folder.root / path, text)
        except OSError as error:
            self.failed(entry, "E0215", f"`{path}` cannot be written: {(error.strerror or 'it fails').lower()}.", "")
            return False
        self.written.append(path)
        return True
