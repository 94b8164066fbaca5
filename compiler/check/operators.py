"""Operators: logic, arithmetic, `??`, `if`, `as`. Comparison is in `compare`."""

from __future__ import annotations

from compiler.check.asking import APPROVAL
from compiler.check.compare import contained, equal, ordering
from compiler.check.division import check_divisor
from compiler.check.join import joined
from compiler.check.labels import null_label, type_label
from compiler.check.narrowing import told
from compiler.check.overlap import overlap
from compiler.check.scope import Scope
from compiler.types.report import shown
from dsl import tree
from stdlib.values.subtype import base as literal_base
from stdlib.values.subtype import fits
from stdlib.values.types import (
    BOOLEAN,
    DATE,
    DURATION,
    ERROR,
    INTEGER,
    JSON,
    NUMBER,
    TIMESTAMP,
    ErrorType,
    ListType,
    LiteralType,
    MapType,
    Scalar,
    Type,
    is_null,
    is_text,
    may_be_null,
    members,
    present,
)

# Left, operator, right → result, where it is about time; plain numbers are below.
_TIME: dict[tuple[str, str, str], Type] = {
    ("timestamp", "+", "duration"): TIMESTAMP,
    ("timestamp", "-", "duration"): TIMESTAMP,
    ("duration", "+", "timestamp"): TIMESTAMP,
    ("date", "+", "duration"): DATE,
    ("date", "-", "duration"): DATE,
    ("duration", "+", "date"): DATE,
    ("timestamp", "-", "timestamp"): DURATION,
    ("date", "-", "date"): DURATION,
    ("duration", "+", "duration"): DURATION,
    ("duration", "-", "duration"): DURATION,
    ("duration", "*", "number"): DURATION,
    ("number", "*", "duration"): DURATION,
    ("duration", "/", "number"): DURATION,
}


def binary(scope: Scope, node: tree.Binary) -> Type:
    """One operator between two values."""
    match node.op:
        case "and" | "or":
            return _logic(scope, node)
        case "??":
            return _else(scope, node)
        case "==" | "!=":
            return equal(scope, node)
        case "<" | "<=" | ">" | ">=":
            return ordering(scope, node)
        case "in" | "not in":
            return contained(scope, node)
        case _:
            return _arithmetic(scope, node)


def condition(scope: Scope, node: tree.Expr, what: str) -> Type:
    """A place that needs a boolean; `what` begins the message (`\\`when\\` needs a boolean`)."""
    found = scope.infer(node)
    misfit = fits(found, BOOLEAN)
    if misfit is None:
        return found
    written = scope.report.text(node)
    short = written if len(written) <= 30 else "…"
    if may_be_null(found) and fits(present(found), BOOLEAN) is None:
        hint = f"Say what null means: `{short} ?? false`."
        scope.report(
            "E0405", node, f"{what}, but this may be null ({shown(found)}).", helps=hint, also=null_label(scope, node)
        )
        return found
    hint = f"Compare it: `{short} != null`." if may_be_null(found) else f"Compare it: `{short} == …`."
    inner = present(found)
    if isinstance(inner, Scalar) and inner.name in ("integer", "number"):
        hint = f"Compare it: `{f'({short} ?? 0)' if may_be_null(found) else short} > 0`."
    elif inner == APPROVAL:
        hint = f"Say what was answered: `{short}?.approved ?? false`."
        if not may_be_null(found):
            hint = f"Say what was answered: `{short}.approved`."
    elif is_text(inner):
        hint = f'Compare it: `{short} == "…"`.'
    elif isinstance(inner, ListType | MapType):
        hint = f"Compare it: `count({short}) > 0`."
    elif inner == JSON:
        hint = f"Say what it is: `{short} as boolean`."
    scope.report(
        "E0405", node, f"{what}, but this is {shown(found)}.", helps=hint, also=type_label(scope, node, BOOLEAN)
    )
    return found


def _logic(scope: Scope, node: tree.Binary) -> Type:
    what = f"`{node.op}` needs booleans"
    condition(scope, node.left, what)
    true, false = told(scope, node.left)
    condition(scope.knowing(true if node.op == "and" else false), node.right, what)
    return BOOLEAN


def unary(scope: Scope, node: tree.Unary) -> Type:
    """`not x`, `-x`."""
    if node.op == "not":
        condition(scope, node.operand, "`not` needs a boolean")
        return BOOLEAN
    found = scope.infer(node.operand)
    if isinstance(found, ErrorType):
        return ERROR
    if may_be_null(found):
        null_operand(scope, node.operand, found, "-")
        return ERROR
    quantity = _quantity(found)
    if quantity not in ("number", "duration"):
        scope.report("E0415", node.operand, f"`-` needs a number, but this is {shown(found)}.")
        return ERROR
    return _plain(found)


def left_of_else(scope: Scope, node: tree.Binary) -> Type:
    """The left side of `??`; one that is never null is reported."""
    left = scope.infer(node.left)
    _needless(scope, node, left)
    return left


def _else(scope: Scope, node: tree.Binary) -> Type:
    left = left_of_else(scope, node)
    right = scope.infer(node.right)
    if is_null(left):
        return right
    return joined(present(left), right)


def _needless(scope: Scope, node: tree.Binary, left: Type) -> None:
    if isinstance(left, ErrorType) or left == JSON or may_be_null(left) or scope.report.said("E0408", node.left):
        return
    scope.report(
        "W0413",
        node,
        f"`??` does nothing here: `{scope.report.text(node.left)}` is never null.",
        helps="Remove the `??` and what follows it.",
        fixes=(
            scope.report.replace(tree.Name(node.left.end, node.end, "??"), "", "Remove the `??` and what follows it"),
        ),
    )


def _quantity(t: Type) -> str | None:
    """number, timestamp, date or duration; None for what cannot be calculated with."""
    if isinstance(t, LiteralType):
        t = literal_base(t)
    if isinstance(t, Scalar):
        if t.name in ("integer", "number"):
            return "number"
        return t.name if t.name in ("timestamp", "date", "duration") else None
    kinds = {_quantity(m) for m in members(t)} if len(members(t)) > 1 else {None}
    return kinds.pop() if len(kinds) == 1 else None


def _plain(t: Type) -> Type:
    """integer, number, … without refinements, which arithmetic does not keep."""
    if all(fits(m, INTEGER) is None for m in members(t)):
        return INTEGER
    return {"number": NUMBER, "duration": DURATION}.get(_quantity(t) or "", ERROR)


def null_operand(scope: Scope, node: tree.Expr, found: Type, op: str) -> None:
    """An operand that may be null."""
    written = scope.report.text(node)
    zero = "0" if _quantity(present(found)) == "number" else "…"
    hint = f"Write `({written} ?? {zero})`, or `{written}!` to fail the step if it is."
    message = f"`{op}` needs a value, but this may be null ({shown(found)})."
    scope.report("E0408", node, message, helps=hint, also=null_label(scope, node))


def _arithmetic(scope: Scope, node: tree.Binary) -> Type:
    if node.op == "+" and isinstance(node.left, tree.Binary) and _joins_texts(scope, node):
        return ERROR
    left, right = scope.infer(node.left), scope.infer(node.right)
    if isinstance(left, ErrorType) or isinstance(right, ErrorType):
        return ERROR
    nulls = False
    for operand, found in ((node.left, left), (node.right, right)):
        if may_be_null(found) and not nulls:
            null_operand(scope, operand, found, node.op)
            nulls = True
    if nulls or (node.op in ("/", "%") and not check_divisor(scope, node.right)):
        return ERROR
    a, b = _quantity(left), _quantity(right)
    if a == "number" and b == "number":
        return INTEGER if node.op != "/" and _plain(left) == INTEGER and _plain(right) == INTEGER else NUMBER
    result = _TIME.get((a or "", node.op, b or ""))
    if result is not None:
        return result
    _no_arithmetic(scope, node, left, right)
    return ERROR


def _joins_texts(scope: Scope, node: tree.Binary) -> bool:
    """`a + b + c` with a text among them: told once, for all of it."""
    chain: list[tree.Binary] = [node]
    while isinstance(chain[-1].left, tree.Binary) and chain[-1].left.op == "+":
        chain.append(chain[-1].left)
    operands = [chain[-1].left, *(each.right for each in reversed(chain))]
    texts = [each for each in operands if is_text(scope.infer(each))]
    if len(operands) < 3 or not texts:
        return False
    for each in chain:
        scope.file.types[id(each)] = ERROR
    text = texts[0]
    _joined_by_plus(scope, node, text, scope.infer(text))
    return True


def _joined_by_plus(scope: Scope, node: tree.Binary, operand: tree.Expr, found: Type) -> None:
    whole = f'"{_piece(scope, node.left)}{_piece(scope, node.right)}"'
    kind = "string" if is_text(found) else shown(found)
    scope.report(
        "E0415",
        operand,
        f"`+` needs numbers, but this is {kind}.",
        helps=f"Put texts together by naming the parts: `{whole}`.",
        fixes=(scope.report.replace(node, whole),),
    )


def _no_arithmetic(scope: Scope, node: tree.Binary, left: Type, right: Type) -> None:
    op = node.op
    if _quantity(left) and _quantity(right):
        hint = "A time and a duration add up to a time; the difference of two times is a duration."
        if op == "/" and left == DURATION:
            hint = "Turn both into numbers first: `seconds(a) / seconds(b)`."
        scope.report("E0415", node, f"`{op}` does not go between {shown(left)} and {shown(right)}.", helps=hint)
        return
    operand, found = (node.left, left) if not _quantity(left) else (node.right, right)
    hint = ""
    if op == "+" and (is_text(left) or is_text(right)):
        _joined_by_plus(scope, node, node.left if is_text(left) else node.right, left if is_text(left) else right)
        return
    if op == "+" and isinstance(found, ListType):
        hint = f"Put lists together: `[...{scope.report.text(node.left)}, ...{scope.report.text(node.right)}]`."
    elif found == JSON:
        hint = f"Say what it is: `({scope.report.text(operand)} as number)`."
    message = f"`{op}` needs numbers, but this is {shown(found)}."
    scope.report("E0415", operand, message, helps=hint, also=type_label(scope, operand, NUMBER))


def _piece(scope: Scope, node: tree.Expr) -> str:
    """An operand as part of a text."""
    if isinstance(node, tree.Text) and not node.block:
        return scope.report.file.source.text[node.start + 1 : node.end - 1]
    if isinstance(node, tree.Binary) and node.op == "+":
        return _piece(scope, node.left) + _piece(scope, node.right)
    return "${" + scope.report.text(node) + "}"


def branches(scope: Scope, node: tree.If) -> tuple[Scope, Scope]:
    """Check the condition; the scopes of both branches."""
    condition(scope, node.condition, "`if` needs a boolean")
    true, false = told(scope, node.condition)
    return scope.knowing(true), scope.knowing(false)


def if_(scope: Scope, node: tree.If) -> Type:
    then, otherwise = branches(scope, node)
    return joined(then.infer(node.then), otherwise.infer(node.otherwise))


def cast(scope: Scope, node: tree.Cast) -> Type:
    """`value as T`: T, checked when the chain runs; what can never be T is reported now."""
    found = scope.infer(node.value)
    wanted = scope.file.declared.read(scope.file.module, node.type)
    if isinstance(found, ErrorType) or isinstance(wanted, ErrorType):
        return wanted
    if overlap(present(found) if not is_null(found) else found, wanted):
        return wanted
    hint = ""
    written = scope.report.text(node.value)
    inner = present(found)
    if is_text(wanted) and isinstance(inner, Scalar) and inner.name in ("integer", "number", "boolean"):
        hint = f'`as` converts nothing. Write `"${{{written}}}"`.'
    elif is_text(inner) and wanted in (INTEGER, NUMBER):
        hint = f"`as` converts nothing. Write `to_{shown(wanted)}({written})`, null where the text is no number."
    scope.report("E0416", node, f"{shown(found)} can never become {shown(wanted)}.", helps=hint)
    return wanted
