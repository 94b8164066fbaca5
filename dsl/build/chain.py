"""Chains: head clauses, inputs, steps, sections, output, adapters."""

from __future__ import annotations

from typing import Any, Literal, cast

from dsl.build.clauses import ClauseRules
from dsl.build.state import Group
from dsl.tokens import Token
from dsl.tree import (
    Adapter,
    ApproveAction,
    AskAction,
    BadType,
    Budget,
    Call,
    CallAction,
    Chain,
    ChainMember,
    Clause,
    Defaults,
    Deprecated,
    Duration,
    EachBlock,
    EachCall,
    Example,
    Expr,
    Fails,
    Input,
    Let,
    Name,
    NamesClause,
    Node,
    Output,
    Require,
    Scopes,
    Section,
    Setting,
    Step,
    Text,
    TextClause,
    Type,
)

_ONCE: dict[type[Node], str] = {
    Scopes: "scopes",
    Deprecated: "deprecated",
    Budget: "budget",
    Output: "output",
    Defaults: "defaults",
}
_FIXED = {"title": "A title", "version": "A version", "owner": "The owner"}


class ChainRules(ClauseRules):
    def chain_decl(
        self,
        private: Token | None,
        word: Token,
        name: Name,
        _open: Token,
        members: list[ChainMember],
        closing: Token,
    ) -> Chain:
        start = (private or word).start
        self.once(members, _member_word, f" in `{name.text}`")
        return Chain(start, closing.end, self.doc(start), private is not None, self.declare(name), tuple(members))

    # -- the head

    def text_clause(self, word: Token, text: Text) -> TextClause:
        keyword = cast(Literal["title", "version", "use_when", "not_when", "owner", "empty"], word.text)
        self.fixed(text, _FIXED.get(keyword, f"`{keyword}`"))
        return TextClause(word.start, text.end, keyword, text)

    def names_clause(self, word: Token, names: list[Name]) -> NamesClause:
        keyword = cast(Literal["groups", "stages", "effects"], word.text)
        return NamesClause(word.start, names[-1].end, keyword, tuple(names))

    def scopes_clause(self, word: Token, texts: list[Text]) -> Scopes:
        for text in texts:
            self.fixed(text, "A scope")
        return Scopes(word.start, texts[-1].end, tuple(texts))

    def example_clause(self, word: Token, request: Text, args: Group) -> Example:
        self.fixed(request, "An example")
        return Example(word.start, args.end, request, self.arguments(args))

    def fails_clause(self, word: Token, fault: Name, when: Text) -> Fails:
        return Fails(word.start, when.end, fault, self.fixed(when, "`fails`"))

    def deprecated_clause(self, word: Token, message: Text, settings: Group | None) -> Deprecated:
        self.fixed(message, "`deprecated`")
        found: tuple[Setting, ...] = () if settings is None else settings.items
        return Deprecated(word.start, message.end if settings is None else settings.end, message, found)

    def budget_clause(self, word: Token, settings: Group) -> Budget:
        return Budget(word.start, settings.end, settings.items)

    # -- inputs, values, conditions

    def input_decl(
        self, word: Token, name: Name, _colon: Token, type_: Type, _equal: Token | None, default: Expr | None
    ) -> Input:
        end = type_.end if default is None else default.end
        return Input(word.start, end, self.doc(word.start), self.declare(name), type_, default)

    def let_decl(
        self, word: Token, name: Name, _colon: Token | None, type_: Type | None, _equal: Token, value: Expr
    ) -> Let:
        return Let(word.start, value.end, self.doc(word.start), self.declare(name), type_, value)

    def require_clause(self, word: Token, condition: Expr, _else: Token, message: Text) -> Require:
        return Require(word.start, message.end, condition, message)

    def defaults_decl(self, word: Token, _open: Token, clauses: list[Clause], closing: Token) -> Defaults:
        self.clauses_once(tuple(clauses), " in these defaults")
        return Defaults(word.start, closing.end, tuple(clauses))

    # -- steps

    def step_decl(
        self,
        word: Token,
        name: Name,
        _equal: Token,
        action: CallAction | EachCall | ApproveAction | AskAction,
        clauses: Group | None,
    ) -> Step:
        found: tuple[Clause, ...] = () if clauses is None else clauses.items
        self.clauses_once(found, f" for `{name.text}`")
        end = action.end if clauses is None else clauses.end
        return Step(word.start, end, self.doc(word.start), self.declare(name), action, found)

    def block_step(
        self,
        word: Token,
        name: Name,
        _equal: Token,
        loop: Token,
        _each: Token,
        variable: Name,
        _in: Token,
        items: Expr,
        _open: Token,
        members: list[Clause | Let | Step],
        _return: Token,
        result: Expr,
        closing: Token,
    ) -> Step:
        clauses, inner = _parted(members)
        self.clauses_once(clauses, f" for `{name.text}`")
        action = EachBlock(loop.start, closing.end, self.declare(variable), items, inner, result)
        return Step(word.start, closing.end, self.doc(word.start), self.declare(name), action, clauses)

    def call_action(self, call: Call) -> CallAction | ApproveAction | AskAction:
        """A call; `approve("…")` and `ask("…")` are the questions they are meant to be."""
        word, first = call.path, call.arguments[0] if len(call.arguments) == 1 else None
        if len(word) == 1 and word[0].text in ("approve", "ask") and first is not None:
            text = first.value
            if first.name is None and isinstance(text, Text):
                return self._question_in_brackets(call, word[0].text, text)
        return CallAction(call.start, call.end, call)

    def _question_in_brackets(self, call: Call, word: str, question: Text) -> ApproveAction | AskAction:
        written = self.source.text[question.start : question.end]
        message = f"`{word}` is followed by its text without brackets."
        if word == "approve":
            self.report("E0103", message, call, f"Write `approve {written}`.", fix=f"approve {written}")
            return ApproveAction(call.start, call.end, question)
        self.report("E0103", message, call, f"Write `ask {written} for {{ answer: string }}`.")
        return AskAction(call.start, call.end, question, BadType(call.end, call.end))

    def each_call(
        self, loop: Token, _each: Token, variable: Name, _in: Token, items: Expr, _do: Token, call: Call
    ) -> EachCall:
        return EachCall(loop.start, call.end, self.declare(variable), items, call)

    def approve_action(self, word: Token, question: Text) -> ApproveAction:
        return ApproveAction(word.start, question.end, question)

    def ask_action(self, word: Token, question: Text, _for: Token, form: Type) -> AskAction:
        return AskAction(word.start, form.end, question, form)

    def section_decl(
        self, word: Token, name: Name, _open: Token, members: list[Clause | Let | Step], closing: Token
    ) -> Section:
        clauses, inner = _parted(members)
        self.clauses_once(clauses, f" for `{name.text}`")
        return Section(word.start, closing.end, self.doc(word.start), self.declare(name), clauses, inner)

    # -- output and adapters

    def output_decl(
        self,
        word: Token,
        type_: Type | None,
        _equal: Token,
        value: Expr,
        _open: Token | None,
        clauses: list[Text | Duration] | None,
        closing: Token | None,
    ) -> Output:
        texts = [clause for clause in clauses or () if isinstance(clause, Text)]
        times = [clause for clause in clauses or () if isinstance(clause, Duration)]
        self.once(texts, lambda text: ("summary", text), " for this output")
        self.once(times, lambda time: ("expires", time), " for this output")
        end = value.end if closing is None else closing.end
        summary, expires = (texts[0] if texts else None), (times[0] if times else None)
        return Output(word.start, end, self.doc(word.start), type_, value, summary, expires)

    def summary_clause(self, _word: Token, text: Text) -> Text:
        return text

    def expires_clause(self, _word: Token, time: Token) -> Duration:
        return self.duration(time)

    def adapter_decl(
        self,
        word: Token,
        version: Text,
        _open: Token,
        inputs: list[Input],
        lets: list[Let],
        _call: Token,
        args: Group,
        output: Output | None,
        closing: Token,
    ) -> Adapter:
        self.fixed(version, "A version")
        arguments = self.arguments(args)
        doc = self.doc(word.start)
        return Adapter(word.start, closing.end, doc, version, tuple(inputs), tuple(lets), arguments, output)


_REPEATED = ("use_when", "not_when")


def _member_word(member: Any) -> tuple[str, Node] | None:
    if isinstance(member, TextClause | NamesClause):
        return None if member.keyword in _REPEATED else (member.keyword, member)
    word = _ONCE.get(type(member))
    return None if word is None else (word, member)


def _parted(members: list[Clause | Let | Step]) -> tuple[tuple[Clause, ...], tuple[Let | Step, ...]]:
    """The clauses and the rest, each in the order of the text."""
    clauses: list[Clause] = []
    inner: list[Let | Step] = []
    for member in members:
        if isinstance(member, Let | Step):
            inner.append(member)
        else:
            clauses.append(member)
    return tuple(clauses), tuple(inner)
