"""The steps of a run on a terminal, drawn anew while they go on. Needs rich: loaded only where there is a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, TextIO

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from compiler.cli import terminal
from compiler.cli.steps import Step, Steps, Wait
from dsl.glyphs import printable

_PER_SECOND: Final = 8
_LONGEST_NAME: Final = 32
_STATES: Final = {
    "ahead": ("·", ".", "dim"),
    "done": ("✓", "+", "green"),
    "skipped": ("–", "-", "dim"),
    "failed": ("✗", "x", "bold red"),
    "stopped": ("■", "!", "yellow"),
    "undone": ("↩", "<", "yellow"),
}
"""A mark, the same in ASCII, and its style."""
_SPIN: Final = ("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏", "|/-\\")
_BETWEEN: Final = (" · ", " - ")
_WORDS: Final = {"reconcile": "finds out whether it happened", "verify": "verifies", "undo": "takes it back"}


class LiveSteps:
    """Draws while it is entered; the last picture stays, unless nothing had begun. `paused` makes room for a
    question."""

    def __init__(self, steps: Steps, stream: TextIO) -> None:
        self._steps = steps
        self._ascii = not terminal.has_marks()
        self._console = Console(
            file=stream,
            force_terminal=True,
            no_color=not terminal.has_colour(stream),
            highlight=False,
            markup=False,
            emoji=False,
        )
        self._live: Live | None = None

    def __enter__(self) -> LiveSteps:
        self._show()
        return self

    def __exit__(self, *_: object) -> None:
        self._hide(kept=any(step.state != "ahead" for step in self._steps.all.values()))

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Nothing is drawn meanwhile: the terminal is the person's."""
        self._hide(kept=False)
        try:
            yield
        finally:
            self._show()

    def _show(self) -> None:
        self._live = Live(
            get_renderable=self.picture, console=self._console, refresh_per_second=_PER_SECOND, transient=True
        )
        self._live.start(refresh=True)

    def _hide(self, *, kept: bool) -> None:
        if self._live is not None:
            self._live.transient = not kept
            self._live.stop()
            self._live = None

    # ------------------------------------------------------------------ the picture

    def picture(self) -> Group:
        """One line a step and one for the whole; at most as high and as wide as the terminal."""
        with self._steps.lock:
            steps, now = list(self._steps.all.values()), self._steps.clock()
            room = len(steps) if self._steps.over else max(self._console.height - 3, 1)
            width = min(max((len(step.name) for step in steps), default=0), _LONGEST_NAME)
            lines = [self._line(step, width, now) for step in _seen(steps, room)]
            hidden = len(steps) - len(lines)
            lines.append(self._foot(steps, hidden, now))
        for line in lines:
            line.truncate(self._console.width - 1, overflow="crop" if self._ascii else "ellipsis")
        return Group(*lines)

    def _line(self, step: Step, width: int, now: float) -> Text:
        running = step.state == "running" or bool(step.waits)
        frames = _SPIN[self._ascii]
        state = "undone" if step.state == "done" and step.undone else step.state
        line = Text(no_wrap=True)
        if running:
            line.append(frames[int(now * _PER_SECOND) % len(frames)], "cyan")
        else:
            line.append(_STATES[state][self._ascii], _STATES[state][2])
        line.append(f" {printable(step.name)[:_LONGEST_NAME]:<{width}}", "dim" if step.state == "ahead" else "")
        seconds = step.seconds(now)
        if seconds is not None:
            line.append(f" {took(seconds):>8}", "dim")
        told = _BETWEEN[self._ascii].join(each for each in self._told(step, now) if each)
        if told:
            line.append(f"  {printable(told)}", "" if running else "dim")
        return line

    def _told(self, step: Step, now: float) -> list[str]:
        again = f"{step.retries} {'retry' if step.retries == 1 else 'retries'}" if step.retries else ""
        back = "taken back" if step.undone else ""
        waits = list(step.waits.values())
        if step.state == "ahead":
            return []
        if step.state == "running" or waits:
            return [step.part, *([_wait(waits[0], now)] if len(waits) == 1 else _many(waits))]
        if step.state == "failed":
            return [step.fault or "", again, back]
        if step.state == "stopped":
            return ["given up", again, back]
        calls = f"{step.calls} calls" if step.calls - step.retries > 1 else ""
        return [step.state if step.state == "skipped" else "", calls, again, _went_on(step), back]

    def _foot(self, steps: list[Step], hidden: int, now: float) -> Text:
        ended = sum(step.state in ("done", "skipped") for step in steps)
        text = f"  {ended} of {len(steps)} {'step' if len(steps) == 1 else 'steps'}, {took(now - self._steps.began)}"
        if hidden:
            text += f"; {hidden} not shown"
        if self._steps.stopping and not self._steps.over:
            text += "; stopping: calls that change something are waited for"
        return Text(text, "dim", no_wrap=True)


def _seen(steps: list[Step], room: int) -> list[Step]:
    """Those that fit, in their order: what runs or went wrong first, then what ended last, then what comes next."""
    ranks = {"running": 0, "failed": 1, "stopped": 1, "done": 2, "ahead": 3, "skipped": 4}
    ranked = sorted(steps, key=lambda step: (ranks[step.state], -(step.ended or 0.0) if step.state == "done" else 0.0))
    kept = {step.name for step in ranked[:room]}
    return [step for step in steps if step.name in kept]


def _wait(wait: Wait, now: float) -> str:
    attempt = f", attempt {wait.attempt}" if wait.attempt > 1 else ""
    if wait.kind == "person":
        return f"waits for {wait.what}"
    if wait.kind == "retry":
        return f"{wait.what}: again in {took(max(wait.until - now, 0.0))}{attempt}"
    if wait.purpose == "step":
        return f"{wait.what}{attempt}"
    return f"{_WORDS[wait.purpose]}: {wait.what}"


def _many(waits: list[Wait]) -> list[str]:
    """Several at once: how many of each kind."""
    counts = {kind: sum(wait.kind == kind for wait in waits) for kind in ("call", "retry", "person")}
    words = {"call": "under way", "retry": "to be tried again", "person": "waiting for people"}
    return [f"{count} {words[kind]}" for kind, count in counts.items() if count]


def _went_on(step: Step) -> str:
    """What went wrong in a step that ended well all the same, other than what a retry mended."""
    left = step.faults - step.retries
    if left <= 0:
        return ""
    return f"went on after {step.fault}" if left == 1 else f"went on after {left} faults"


def took(seconds: float) -> str:
    """A time as people read it: `0.42 s`, `12.3 s`, `2 min 05 s`."""
    if seconds < 10:
        return f"{seconds:.2f} s"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(int(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02} s"
    return f"{minutes // 60} h {minutes % 60:02} min"
