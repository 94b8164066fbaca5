"""Any expression, over any values: a JSON value or an EvaluationFault, nothing else, and no argument changes."""

import copy

from hypothesis import given, settings
from hypothesis import strategies as st

from stdlib.functions import find, names
from stdlib.plan import expression as plan
from stdlib.plan.model import Origin
from stdlib.runtime.evaluate import EvaluationFault, Scope, compile_expression
from stdlib.runtime.fault import BY_NAME
from stdlib.values.canonical import canonical
from stdlib.values.types import ListType, LiteralType, MapType, Scalar, Union, Variable

HERE = Origin(file="a.chain", line=1, column=1)
COMPARABLE = st.sampled_from(["number", "text", "boolean", "timestamp", "date", "duration", "json"])
QUANTITY = st.sampled_from(["number", "timestamp", "date", "duration"])
TEXTS = st.text("ab1 ", max_size=3) | st.sampled_from(
    ["2026-06-01", "2026-06-01T08:00:00+02:00", "PT4H", "-P1D", "9999-12-31", "+02:00", "YQ==", "[1]", "(a+)+", "a"]
)
NUMBERS = st.integers(-3, 4) | st.sampled_from([0.5, 1e308, -0.0, 10**30])
LEAVES = st.none() | st.booleans() | NUMBERS | TEXTS
VALUES = st.recursive(
    LEAVES,
    lambda v: st.lists(v, max_size=3) | st.dictionaries(st.sampled_from(["a", "b"]), v, max_size=2),
    max_leaves=6,
)
ATOMS = VALUES.map(lambda v: plan.Const(value=v)) | st.sampled_from(["x", "y", "xs", "run"]).map(
    lambda n: plan.Ref(name=n)
)


def compound(e):
    spread = e.map(lambda v: plan.Spread(value=v))
    field = st.builds(plan.FieldOf, name=st.sampled_from(["a", "b"]), value=e) | st.builds(plan.FieldOf, key=e, value=e)
    condition = st.none() | e
    return st.one_of(
        st.builds(plan.Member, base=e, name=st.sampled_from(["a", "b"]), optional=st.booleans()),
        st.builds(plan.Index, base=e, index=e, optional=st.booleans()),
        st.builds(plan.Present, base=e, text=st.just("x"), origin=st.just(HERE)),
        st.builds(plan.Not, operand=e),
        st.builds(plan.Negate, operand=e, on=st.sampled_from(["number", "duration"])),
        st.builds(plan.Logic, op=st.sampled_from(["and", "or", "else"]), left=e, right=e),
        st.builds(plan.Compare, op=st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), left=e, right=e, on=COMPARABLE),
        st.builds(plan.Contains, item=e, container=e, on=COMPARABLE, negated=st.booleans()),
        st.builds(
            plan.Arithmetic, op=st.sampled_from(list("+-*/%")), left=e, right=e, left_type=QUANTITY, right_type=QUANTITY
        ),
        st.builds(plan.If, condition=e, then=e, otherwise=e),
        st.builds(plan.Text, parts=st.lists(TEXTS | e, max_size=3).map(tuple)),
        st.builds(plan.ListOf, items=st.lists(e | spread, max_size=3).map(tuple)),
        st.builds(plan.RecordOf, fields=st.lists(field | spread, max_size=3).map(tuple)),
        st.builds(plan.ListComprehension, value=e, variable=st.just("y"), items=e, condition=condition),
        st.builds(plan.MapComprehension, key=e, value=e, variable=st.just("y"), items=e, condition=condition),
        calls(lambda _: e),
    )


@st.composite
def calls(draw, argument):
    """A call of any function, its parameters filled (the optional ones at times)."""
    name = draw(st.sampled_from(names()))
    entry = find(name)
    assert entry is not None
    arguments = {p.name: draw(argument(p)) for p in entry.signature.parameters if p.required or draw(st.booleans())}
    return plan.Call(function=name, arguments=arguments, on=draw(st.none() | COMPARABLE))


def evaluated(expression):
    """The canonical bytes of the value, and the class of the fault where there is none."""
    values = {"x": {"a": [1, 2], "b": None}, "xs": [{"a": 1, "b": "x"}, {"a": 2}], "y": "2026-06-01"}
    before = copy.deepcopy(values)
    try:
        result = compile_expression(expression)(Scope(values, {}, {"id": "r", "started_at": "2026-06-01T08:00:00Z"}))
    except EvaluationFault as fault:
        outcome = (b"", fault.fault_class)
    else:
        outcome = (canonical(result), "")
    assert outcome[1] in ("", *BY_NAME)
    assert values == before
    return outcome


@settings(max_examples=300, deadline=None)
@given(st.recursive(ATOMS, compound, max_leaves=8))
def test_any_expression(expression):
    assert evaluated(expression) == evaluated(expression)


TIMES = st.sampled_from(["2026-06-01T08:00:00+02:00", "2026-06-01T06:00:00Z", "0001-01-01T00:00:00Z"])
DATES = st.sampled_from(["2026-06-01", "9999-12-31", "0001-01-01"])
DURATIONS = st.sampled_from(["PT4H", "PT240M", "-P1D", "PT0.5S", "P3652059D"])
OF_SCALAR = {
    "string": TEXTS,
    "number": NUMBERS,
    "integer": st.integers(-3, 6) | st.just(10**30),
    "boolean": st.booleans(),
    "json": VALUES,
    "null": st.none(),
    "timestamp": TIMES,
    "date": DATES,
    "duration": DURATIONS,
    "bytes": st.sampled_from(["", "YQ==", "/w=="]),
}
# What a type variable may stand for, with the reading that the checker would choose for it.
BOUND = st.sampled_from(
    [("number", NUMBERS), ("text", TEXTS), ("boolean", st.booleans()), ("timestamp", TIMES), ("duration", DURATIONS)]
)


def of_type(t, variables):
    """Values of a type of the table."""
    match t:
        case Scalar(name=name):
            return OF_SCALAR[name]
        case LiteralType(value=value):
            return st.just(value)
        case ListType(item=item):
            return st.lists(of_type(item, variables), max_size=4)
        case MapType(value=value):
            return st.dictionaries(TEXTS, of_type(value, variables), max_size=4)
        case Union(members=members):
            return st.one_of([of_type(m, variables) for m in members])
        case Variable(name="N"):
            return NUMBERS
        case Variable():
            return variables
    raise AssertionError(t)


@st.composite
def typed_calls(draw):
    """A call as the checker lets it through."""
    entry = find(draw(st.sampled_from(names())))
    assert entry is not None
    on, leaf = draw(BOUND)
    if entry.demands in ("quantity", "number"):
        on, leaf = "number", NUMBERS
    # Keys are never null, all else may be.
    key = leaf if entry.demands == "key" else leaf | st.none()
    by = any(p.field_of and (p.required or draw(st.booleans())) for p in entry.signature.parameters)
    variable = st.fixed_dictionaries({"k": key, "other": VALUES}) if by else leaf
    arguments = {}
    for p in entry.signature.parameters:
        if p.field_of:
            if by:
                arguments[p.name] = plan.Const(value="k")
        elif p.required or draw(st.booleans()):
            arguments[p.name] = plan.Const(value=draw(of_type(p.type, variable)))
    return plan.Call(function=entry.name, arguments=arguments, on=on if entry.ordered else None)


@settings(max_examples=1000, deadline=None)
@given(typed_calls())
def test_what_the_checker_lets_through_is_never_a_mistake_of_ours(call):
    outcome = evaluated(call)
    assert outcome[1] != "internal"
    assert outcome == evaluated(call)
