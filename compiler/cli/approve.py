"""`chainc approve`: a person decides what a run awaits, from outside the client that began it."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from compiler.cli import terminal
from compiler.cli.arguments import Parser, format_option
from compiler.cli.exits import FINDINGS, OK, Usage
from compiler.cli.kept import look, store_options
from compiler.cli.runs_view import find_run, lasting, question_json, question_text, short

if TYPE_CHECKING:
    from stdlib.runtime.principal import Principal
    from stdlib.runtime.store import Store
    from stdlib.runtime.store.decisions import Awaited
    from stdlib.runtime.store.journal import RunState

TOKEN: Final = "CHAINC_TOKEN"
_LEAST: Final = 8
"""So many signs of a digest name a question."""


class Refused(Exception):
    """This person may not decide this question, or nobody can any more. The message is a sentence."""


def arguments() -> Parser:
    parser = Parser(
        "chainc approve",
        "Lists what runs await, shows one question, and approves or rejects it. Nobody decides unseen: answer yes, or "
        "repeat the digest of what you saw. The approval of a group needs a token of one of its principals, never of "
        "the one that began the run. Exit code 1: it was refused, or is decided already.",
        [
            ("chainc approve", "what is awaited"),
            ("chainc approve run_3f9a", "show the only question of a run, and decide it"),
            ("chainc approve run_3f9a go --digest 5c1d22e09a41", "without being asked again"),
            ("chainc approve run_3f9a go --principals who.toml", f"for a group; the token is read from {TOKEN}"),
        ],
    )
    parser.operand("run", nargs="?", help="the id of the run, or its beginning; left out: list everything")
    parser.operand("step", nargs="?", help="the step that asks, where the run has several questions")
    parser.option("--reject", action="store_true", help="reject instead of approving")
    parser.option("--comment", metavar="TEXT", help="words for the run and its record")
    parser.option("--digest", metavar="HEX", help="the digest of what you saw, or its beginning, instead of a yes")
    parser.option("--principals", metavar="FILE", help="who may decide: the file of the server's principals")
    parser.option(
        "--token-from", metavar="NAME", default=TOKEN, help=f"the variable that has your token ({TOKEN}); - is stdin"
    )
    format_option(parser, "of the list")
    store_options(parser)
    return parser


def run(options: argparse.Namespace) -> int:
    if options.run is None:
        _list(look(options, _awaited), options.format)
        return OK
    asked, state = look(options, _questions(options.run))
    question = _chosen(asked, options)
    terminal.say(question_text(question))
    try:
        by = _decider(question, options)
        _agree(question, options)
        look(options, _decision(question, by, options))
    except Refused as reason:
        terminal.say(f"Not decided: {reason}")
        return FINDINGS
    then = " The run goes on when its server starts again." if state == "interrupted" else ""
    terminal.say(f"{'Rejected' if options.reject else 'Approved'} as {by}.{then}")
    return OK


async def _awaited(store: Store) -> Sequence[Awaited]:
    return await store.decisions.awaited()


def _questions(name: str) -> Callable[[Store], Awaitable[tuple[Sequence[Awaited], RunState | None]]]:
    """What a run awaits, and how it is with the run; consent to a call is awaited before there is one."""

    async def read(store: Store) -> tuple[Sequence[Awaited], RunState | None]:
        awaited = await store.decisions.awaited()
        found = {each.run for each in awaited if each.run.startswith(name)}
        if len(found) > 1 and name not in found:
            raise Usage(f"there are {len(found)} runs that await something and whose id begins with `{name}`.")
        run = name if name in found else found.pop() if found else (await find_run(store, name)).begun.run
        row = await store.journal.run(run)
        return [each for each in awaited if each.run == run], None if row is None else row.state

    return read


def _list(awaited: Sequence[Awaited], form: str) -> None:
    if form == "json":
        from stdlib.plan.document import json_text

        told = [{"run": each.run, "chain": each.chain, **question_json(each)} for each in awaited]
        terminal.out(json_text({"awaited": told}))
    elif not awaited:
        terminal.say("Nothing is awaited.")
    else:
        from compiler.cli.columns import columns

        now = time.time()
        head = ["run", "step", "chain", "by", "for", "time left", "question"]
        rows = [
            [
                *(short(each.run), each.step, each.chain, each.by or "the user"),
                *(f"{each.requester.tenant}/{each.requester.principal}", lasting(each.until - now), each.text),
            ]
            for each in awaited
        ]
        terminal.out(columns([head, *rows], width=terminal.width(sys.stdout).get("width"), right=(5,)))


def _chosen(asked: Sequence[Awaited], options: argparse.Namespace) -> Awaited:
    """Raises Usage where the run does not await this."""
    if not asked:
        raise Usage(f"the run {short(options.run)} awaits nothing.", "`chainc approve` lists what is awaited.")
    steps = ", ".join(each.step for each in asked)
    if options.step is None and len(asked) > 1:
        raise Usage(f"the run awaits more than one thing: {steps}.", "Name the step.")
    found = [each for each in asked if options.step in (None, each.step)]
    if not found:
        raise Usage(f"the run awaits nothing at `{options.step}`.", f"It awaits: {steps}.")
    if found[0].kind != "approve" and not options.reject:
        raise Usage(
            f"`{found[0].step}` asks for words.", "They come through the client (resume_run); --reject declines."
        )
    return found[0]


def _decider(asked: Awaited, options: argparse.Namespace) -> str:
    """Who decides, as it is recorded. Raises Refused where they may not, Usage where they did not say who they are."""
    from stdlib.runtime.principal import Owner

    if asked.by is None and asked.requester == Owner():
        from compiler.cli.people import me

        return me()  # the run is that of whoever owns the store
    who = _authenticated(asked, options)
    if who.tenant != asked.requester.tenant:
        raise Refused(f"{who.id} belongs to another tenant.")
    if asked.by is None:
        if who.owner != asked.requester:
            raise Refused(f"this is asked of {asked.requester.principal} alone, who began the run.")
    elif who.owner == asked.requester:
        raise Refused(f"{who.id} began the run, so somebody else of {asked.by} must decide.")
    elif asked.by not in who.groups:
        raise Refused(f"{who.id} does not belong to {asked.by}.")
    return who.id


def _authenticated(asked: Awaited, options: argparse.Namespace) -> Principal:
    import anyio

    from stdlib.serve.principals import TokenFile, WrongPrincipals

    if options.principals is None:
        whose = f"somebody of {asked.by}" if asked.by else asked.requester.principal
        hint = f"Give --principals FILE, and your token in the variable {options.token_from}."
        raise Usage(f"this is decided by {whose}, so you must say who you are.", hint)
    try:
        known = TokenFile(Path(options.principals))
    except WrongPrincipals as wrong:
        raise Usage(f"{wrong}.") from None
    verified = anyio.run(known.verify, _token(options.token_from))
    if verified is None:
        raise Refused("the token is unknown or has expired.")
    return verified.principal


def _token(source: str) -> str:
    token = sys.stdin.readline().strip() if source == "-" else os.environ.get(source, "").strip()
    if not token:
        where = "stdin" if source == "-" else f"the variable {source}"
        raise Usage(
            f"{where} has no token.", "A token is never an argument: others would see it in the list of processes."
        )
    return token


def _agree(asked: Awaited, options: argparse.Namespace) -> None:
    """Makes sure that the person has seen what is decided. Raises Refused, and Usage where nobody can be asked."""
    if options.digest is not None:
        if len(options.digest) < _LEAST:
            raise Usage(f"--digest needs at least {_LEAST} signs.")
        if not asked.digest.startswith(options.digest.lower()):
            raise Refused("the digest is another one: what is asked is not what you saw.")
        return
    if not sys.stdin.isatty() or options.token_from == "-":
        raise Usage("nobody can say yes here.", "Give the digest of what is shown: --digest.")
    sys.stderr.write(f"{'Reject' if options.reject else 'Approve'}? [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise Refused("you did not say yes.")


def _decision(asked: Awaited, by: str, options: argparse.Namespace) -> Callable[[Store], Awaitable[None]]:
    async def decide(store: Store) -> None:
        from stdlib.runtime.store.decisions import Decision

        at = time.time()
        decision = Decision(asked.run, asked.step, asked.digest, not options.reject, by, options.comment, at)
        if not await store.decisions.decide(decision):
            over = (
                "its time is over." if asked.until <= at else "somebody has decided it, or it is not awaited any more."
            )
            raise Refused(over)

    return decide
