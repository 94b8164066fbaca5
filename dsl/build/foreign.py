"""`x => …`: no functions are written in the language; the two common uses have a comprehension."""

from __future__ import annotations

from dsl.build.state import Group, State
from dsl.diagnostics import Diagnostic, Edit, Fix
from dsl.source import Span
from dsl.tree import Argument, BadExpr, Expr, ListComprehension, Name, Node, Ref


class ForeignLambda(Node):
    """Lives only until the call around it is known."""

    name: Name
    body: Expr


class ForeignRules(State):
    def arguments(self, args: Group) -> tuple[Argument, ...]:
        """The arguments of a call; a lambda among them is reported and stands as a bad value."""
        if not any(isinstance(item, ForeignLambda) for item in args.items):
            return args.items
        return tuple(self._bad_argument(item) if isinstance(item, ForeignLambda) else item for item in args.items)

    def comprehension(self, base: Expr, method: Name, function: ForeignLambda, end: int) -> ListComprehension:
        """`xs.map(x => e)` and `xs.filter(x => e)`."""
        variable, body = function.name, function.body
        text = self.source.text
        items, written = text[base.start : base.end], text[body.start : body.end]
        if method.text == "map":
            ours = f"[{written} for {variable.text} in {items}]"
            node = ListComprehension(base.start, end, body, variable, base, None)
        else:
            ours = f"[{variable.text} for {variable.text} in {items} if {written}]"
            value = Ref(variable.start, variable.end, variable.text)
            node = ListComprehension(base.start, end, value, variable, base, body)
        self._report(function, ours, Span(self.source, base.start, end))
        return node

    def _bad_argument(self, function: ForeignLambda) -> Argument:
        self._report(function, None, self.span(function))
        return Argument(function.start, function.end, None, BadExpr(function.start, function.end))

    def _report(self, function: ForeignLambda, ours: str | None, whole: Span) -> None:
        name = function.name.text
        example = ours or f"[… for {name} in LIST]"
        self.diagnostics.append(
            Diagnostic(
                code="E0110",
                message=f"`{name} => …` is not written so here.",
                span=self.span(function),
                helps=(f"Write a comprehension: `{example}`.",),
                fixes=() if ours is None else (Fix(f"Write `{ours}`", (Edit(whole, ours),)),),
            )
        )
