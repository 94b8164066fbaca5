"""The top level: imports with claims, types, kinds, tests."""

from __future__ import annotations

from typing import Any, Literal, cast

from dsl.build.chain import ChainRules
from dsl.build.state import Group
from dsl.tokens import Token
from dsl.tree import (
    Call,
    Cost,
    Expect,
    Expr,
    Given,
    Import,
    Item,
    KindDecl,
    Let,
    ListComprehension,
    ListLiteral,
    Name,
    NamesClause,
    Node,
    Parse,
    RecordType,
    Run,
    Scopes,
    Stdin,
    Test,
    TestAt,
    TestCall,
    Text,
    ToolDecl,
    Type,
    TypeDecl,
)

ToolClause = NamesClause | Scopes | Run | Stdin | Parse | Cost
_TOOL_WORDS: dict[type[Node], str] = {Scopes: "scopes", Run: "run", Stdin: "stdin", Parse: "parse", Cost: "cost"}


class FileRules(ChainRules):
    def start(self, items: list[Item]) -> tuple[Item, ...]:
        return tuple(items)

    def import_decl(
        self,
        word: Token,
        name: Name,
        _from: Token,
        kind: Name,
        where: Text,
        _open: Token | None,
        tools: list[ToolDecl] | None,
        closing: Token | None,
    ) -> Import:
        self.fixed(where, "Where tools come from")
        end = where.end if closing is None else closing.end
        return Import(word.start, end, self.doc(word.start), self.declare(name), kind, where, tuple(tools or ()))

    def tool_decl(
        self,
        word: Token,
        name: Name,
        _takes: Token | None,
        takes: RecordType | None,
        _returns: Token | None,
        returns: Type | None,
        _open: Token | None,
        clauses: list[ToolClause] | None,
        closing: Token | None,
    ) -> ToolDecl:
        if clauses:
            self.once(clauses, _tool_word, f" for `{name.text}`")
        end = (closing or returns or takes or name).end
        return ToolDecl(word.start, end, self.doc(word.start), name, takes, returns, tuple(clauses or ()))

    def run_clause(self, word: Token, argv: ListLiteral | ListComprehension) -> Run:
        if not isinstance(argv, ListLiteral):
            self.report(
                "E0107", "`run` is followed by the arguments one by one.", argv, 'Write `run ["-n", "${name}"]`.'
            )
            argv = ListLiteral(argv.start, argv.end, ())
        return Run(word.start, argv.end, argv)

    def stdin_clause(self, word: Token, value: Expr) -> Stdin:
        return Stdin(word.start, value.end, value)

    def parse_clause(self, word: Token, mode: Name, pattern: Text | None) -> Parse:
        if pattern is not None:
            self.fixed(pattern, "A pattern")
        return Parse(word.start, (pattern or mode).end, mode, pattern)

    def cost_clause(self, word: Token, settings: Group) -> Cost:
        return Cost(word.start, settings.end, settings.items)

    def type_decl(self, word: Token, name: Name, _equal: Token, type_: Type) -> TypeDecl:
        return TypeDecl(word.start, type_.end, self.doc(word.start), name, type_)

    def kind_decl(self, word: Token, name: Name, _equal: Token, type_: Type) -> KindDecl:
        return KindDecl(word.start, type_.end, self.doc(word.start), name, type_)

    # -- tests

    def test_decl(
        self,
        word: Token,
        name: Text,
        opening: Token,
        members: list[Let | Given | TestAt | TestCall | Expect],
        closing: Token,
    ) -> Test:
        self.fixed(name, "The name of a test")
        self.once(members, lambda member: ("at", member) if isinstance(member, TestAt) else None, " in this test")
        return Test(word.start, closing.end, name, tuple(members), self.doc(word.start))

    def given(self, word: Token, path: tuple[Name, ...], args: Group | None, verb: Token, value: Expr) -> Given:
        arguments = None if args is None else self.arguments(args)
        reaction = cast(Literal["returns", "fails", "answers"], verb.text)
        if reaction == "fails" and not isinstance(value, Text):
            self.report(
                "E0103", "`fails` is followed by a text: the class of the fault.", value, 'Write `fails "timeout"`.'
            )
        return Given(word.start, value.end, path, arguments, reaction, value)

    def test_at(self, word: Token, timestamp: Text) -> TestAt:
        return TestAt(word.start, timestamp.end, self.fixed(timestamp, "A time"))

    def test_call(self, word: Token, path: tuple[Name, ...], args: Group) -> TestCall:
        call = Call(path[0].start, args.end, path, self.arguments(args))
        return TestCall(word.start, call.end, call)

    def test_expect(self, word: Token, condition: Expr) -> Expect:
        return Expect(word.start, condition.end, condition)


def _tool_word(clause: Any) -> tuple[str, Node] | None:
    if isinstance(clause, NamesClause):
        return clause.keyword, clause
    word = _TOOL_WORDS.get(type(clause))
    return None if word is None else (word, clause)
