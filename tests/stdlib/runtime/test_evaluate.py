import pytest

from stdlib.plan import expression as plan
from stdlib.plan.model import Origin
from stdlib.runtime.evaluate import EvaluationFault, Scope, compile_expression

HERE = Origin(file="a.chain", line=3, column=5)
SCOPE = Scope(
    {"x": 2, "t": "é", "none": None, "xs": [1, 2, 3], "r": {"a": {"b": 1}, "k": None}, "day": "2026-06-01"},
    {"done": "succeeded", "left": "skipped"},
    {"id": "r1", "started_at": "2026-06-01T08:00:00Z"},
)


def c(value):
    return plan.Const(value=value)


def ref(name):
    return plan.Ref(name=name)


def value(expression, scope=SCOPE):
    return compile_expression(expression)(scope)


def fault(expression, scope=SCOPE):
    with pytest.raises(EvaluationFault) as caught:
        value(expression, scope)
    assert caught.value.message.endswith(".")
    return caught.value


def member(base, name, optional=False):
    return plan.Member(base=base, name=name, optional=optional)


def index(base, at, optional=False):
    return plan.Index(base=base, index=at, optional=optional)


def calc(left, op, right, left_type="number", right_type="number"):
    return plan.Arithmetic(op=op, left=c(left), right=c(right), left_type=left_type, right_type=right_type, origin=HERE)


def compare(left, op, right, on):
    return plan.Compare(op=op, left=c(left), right=c(right), on=on)


def test_names():
    assert value(ref("x")) == 2
    assert value(member(ref("run"), "id")) == "r1"
    assert value(ref("y"), SCOPE.inner({"y": 7})) == 7
    assert value(ref("x"), SCOPE.inner({"y": 7})) == 2
    assert fault(ref("nothing")).fault_class == "internal"


def test_outcomes():
    assert value(plan.Outcome(step="done", **{"is": "succeeded"})) is True
    assert value(plan.Outcome(step="left", **{"is": "failed"}), SCOPE.inner({})) is False
    assert fault(plan.Outcome(step="later", **{"is": "failed"})).fault_class == "internal"


def test_fields():
    assert value(member(member(ref("r"), "a"), "b")) == 1
    assert value(member(ref("r"), "absent")) is None
    assert value(member(ref("none"), "a", optional=True)) is None
    assert fault(member(ref("none"), "a")).fault_class == "internal"
    assert fault(member(ref("xs"), "a")).fault_class == "internal"


@pytest.mark.parametrize(
    ("at", "found"), [(0, 1), (2, 3), (3, None), (-1, 3), (-3, 1), (-4, None), (1.0, 2), (None, None), (10**30, None)]
)
def test_items(at, found):
    assert value(index(ref("xs"), c(at))) == found


def test_map_values():
    assert value(index(ref("r"), c("a"))) == {"b": 1}
    assert value(index(ref("r"), c("z"))) is None
    assert value(index(ref("none"), c(0), optional=True)) is None
    for wrong in (index(ref("none"), c(0)), index(ref("xs"), c(True)), index(ref("xs"), c(0.5)), index(ref("r"), c(1))):
        assert fault(wrong).fault_class == "internal"


def test_present():
    assert value(plan.Present(base=ref("x"), text="x", origin=HERE)) == 2
    found = fault(plan.Present(base=ref("none"), text="a.b", origin=HERE))
    assert (found.fault_class, found.message, found.origin) == ("shape_mismatch", "`a.b` is null.", HERE)


def test_logic_evaluates_the_right_side_only_if_needed():
    broken = ref("nothing")
    assert value(plan.Logic(op="and", left=c(False), right=broken)) is False
    assert value(plan.Logic(op="or", left=c(True), right=broken)) is True
    assert value(plan.Logic(op="else", left=c(0), right=broken)) == 0
    assert value(plan.Logic(op="else", left=c(None), right=c(1))) == 1
    assert value(plan.If(condition=c(True), then=c(1), otherwise=broken)) == 1
    assert value(plan.Not(operand=c(False))) is True
    for wrong in (plan.Not(operand=c(1)), plan.Logic(op="and", left=c(None), right=c(True))):
        assert fault(wrong).fault_class == "internal"


@pytest.mark.parametrize(
    ("left", "op", "right", "on", "result"),
    [
        (1, "==", 1.0, "number", True),
        (1, "==", True, "json", False),
        (None, "==", None, "text", True),
        ("a", "!=", None, "text", True),
        ("Z", "<", "a", "text", True),
        (2**53 + 1, ">", float(2**53), "number", True),
        (False, "<", True, "boolean", True),
        ("2026-06-01T10:00:00+02:00", "==", "2026-06-01T08:00:00Z", "timestamp", True),
        ("2026-06-01T10:00:00+02:00", "<", "2026-06-01T09:00:00Z", "timestamp", True),
        ("PT36H", ">=", "P1DT12H", "duration", True),
        ("2026-06-01", "<=", "2026-05-31", "date", False),
        ([1, {"a": True}], "==", [1.0, {"a": True}], "json", True),
    ],
)
def test_comparison(left, op, right, on, result):
    assert value(compare(left, op, right, on)) is result


def test_comparison_of_what_is_not_there():
    assert fault(compare(None, "<", 1, "number")).fault_class == "internal"
    assert fault(compare("soon", "<", "2026-06-01", "date")).fault_class == "shape_mismatch"
    assert fault(compare("soon", "==", "2026-06-01", "date")).fault_class == "shape_mismatch"


@pytest.mark.parametrize(
    ("item", "container", "on", "result"),
    [
        (1, [1.0, 2], "number", True),
        (True, [1], "json", False),
        (None, ["a", None], "text", True),
        ("b", "abc", "text", True),
        ("a", {"a": None}, "text", True),
        ("PT60M", ["PT1H"], "duration", True),
    ],
)
def test_contains(item, container, on, result):
    assert value(plan.Contains(item=c(item), container=c(container), on=on)) is result
    assert value(plan.Contains(item=c(item), container=c(container), on=on, negated=True)) is not result


def test_contains_needs_a_container():
    assert fault(plan.Contains(item=c(1), container=c(2), on="number")).fault_class == "internal"
    assert fault(plan.Contains(item=c(1), container=c("1"), on="text")).fault_class == "internal"


T, D, S = "timestamp", "duration", "date"


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        (calc(2**53, "+", 1), 2**53 + 1),
        (calc(7, "/", 2), 3.5),
        (calc(6, "/", 2), 3.0),
        (calc(-7, "%", 2), 1),
        (calc(0.5, "*", 4), 2),
        (calc("2026-06-01T10:00:00+02:00", "+", "PT90M", T, D), "2026-06-01T11:30:00+02:00"),
        (calc("2026-06-01T00:00:00Z", "-", "PT0.5S", T, D), "2026-05-31T23:59:59.5Z"),
        (calc("PT1H", "+", "2026-06-01T00:00:00Z", D, T), "2026-06-01T01:00:00Z"),
        (calc("2026-06-01T10:00:00+02:00", "-", "2026-06-02T08:00:00Z", T, T), "-P1D"),
        (calc("2026-02-28", "+", "P2D", S, D), "2026-03-02"),
        (calc("2026-03-01", "-", "PT24H", S, D), "2026-02-28"),
        (calc("2026-03-01", "-", "2026-02-01", S, S), "P28D"),
        (calc("PT1H", "-", "PT90M", D, D), "-PT30M"),
        (calc("PT1H", "*", 1.5, D), "PT1H30M"),
        (calc(120, "*", "PT1M", "number", D), "PT2H"),
        (calc("PT1H", "/", 4, D), "PT15M"),
        (calc("PT1H", "/", "PT15M", D, D), 4),
    ],
)
def test_arithmetic(expression, result):
    assert value(expression) == result


@pytest.mark.parametrize(
    ("expression", "fault_class"),
    [
        (calc(1, "/", 0), "precondition"),
        (calc(1, "%", 0), "precondition"),
        (calc("PT1H", "/", 0, D), "precondition"),
        (calc(1e308, "*", 10), "precondition"),
        (calc(10**400, "+", 0.5), "precondition"),
        (calc(10**3000, "*", 10**3000), "precondition"),
        (calc("2026-06-01", "+", "PT36H", S, D), "precondition"),
        (calc("9999-12-31T00:00:00Z", "+", "P1D", T, D), "precondition"),
        (calc("soon", "+", "P1D", T, D), "shape_mismatch"),
        (calc(None, "+", 1), "internal"),
        (calc(True, "+", 1), "internal"),
        (calc(1, "+", "PT1H", "number", D), "internal"),
    ],
)
def test_arithmetic_without_a_result(expression, fault_class):
    found = fault(expression)
    assert found.fault_class == fault_class


def test_division_by_zero_tells_the_place():
    assert fault(calc(1, "/", 0)).origin == HERE


def test_negation():
    assert value(plan.Negate(operand=c(2))) == -2
    assert value(plan.Negate(operand=c("PT1H"), on="duration")) == "-PT1H"
    assert fault(plan.Negate(operand=c("x"))).fault_class == "internal"


def cast(given, schema):
    return plan.Cast(value=c(given), json_schema=schema, type="Hit", origin=HERE)


def test_casts():
    schema = {"type": "object", "properties": {"at": {"type": "string", "format": "date-time"}}, "required": ["at"]}
    good = {"at": "2026-06-01T08:00:00Z", "more": 1}
    assert value(cast(good, schema)) is good
    found = fault(cast({"at": "today"}, schema))
    assert found.fault_class == "shape_mismatch"
    assert found.origin == HERE
    assert "`at`" in found.message
    assert "Hit" in found.message


def test_texts():
    parts = ("n=", c(1.0), " ", c(True), " ", ref("t"), " ", c(1e21), c(2**60))
    assert value(plan.Text(parts=parts)) == "n=1 true é 1e+211152921504606846976"
    wrongs: list[object] = [None, [], {}]
    for wrong in wrongs:
        assert fault(plan.Text(parts=(c(wrong),))).fault_class == "internal"
    assert fault(plan.Text(parts=(c("x" * 6_000_000),) * 2)).fault_class == "result_too_large"


def test_lists_and_records():
    assert value(plan.ListOf(items=(c(0), plan.Spread(value=ref("xs"))))) == [0, 1, 2, 3]
    fields = (
        plan.FieldOf(name="a", value=c(1)),
        plan.Spread(value=ref("r")),
        plan.Spread(value=ref("none")),
        plan.FieldOf(key=ref("t"), value=c(2)),
        plan.FieldOf(name="k", value=c(3)),
    )
    assert value(plan.RecordOf(fields=fields)) == {"a": {"b": 1}, "k": 3, "é": 2}
    some = plan.Spread(value=plan.RecordOf(fields=fields), fields=("k", "absent"))
    assert value(plan.RecordOf(fields=(some,))) == {"k": 3}
    for wrong in (
        plan.ListOf(items=(plan.Spread(value=c(None)),)),
        plan.RecordOf(fields=(plan.Spread(value=c([])),)),
        plan.RecordOf(fields=(plan.FieldOf(key=c(1), value=c(1)),)),
        plan.RecordOf(fields=(plan.FieldOf(value=c(1)),)),
    ):
        assert fault(wrong).fault_class == "internal"


def each(value_, items, condition=None, variable="i"):
    return plan.ListComprehension(value=value_, variable=variable, items=items, condition=condition)


def test_comprehensions():
    odd = compare_refs = plan.Compare(op="!=", left=ref("i"), right=ref("x"), on="number")
    assert value(each(plan.ListOf(items=(ref("i"), ref("x"))), ref("xs"), odd)) == [[1, 2], [3, 2]]
    nested = each(each(ref("i"), ref("xs"), compare_refs, "j"), ref("xs"))
    assert value(nested) == [[1, 1, 1], [], [3, 3, 3]]
    by_text = plan.MapComprehension(key=plan.Text(parts=("k", ref("i"))), value=ref("i"), variable="i", items=ref("xs"))
    assert value(by_text) == {"k1": 1, "k2": 2, "k3": 3}
    assert fault(each(ref("i"), c("abc"))).fault_class == "internal"


def test_work_is_bounded_and_counted_anew():
    many = plan.Call(function="range", arguments={"length": c(3000)})
    square = compile_expression(each(each(c(0), many, None, "j"), many))
    for _ in range(2):
        with pytest.raises(EvaluationFault) as caught:
            square(SCOPE)
        assert caught.value.fault_class == "budget_exceeded"
    cheap = compile_expression(each(c(0), many))
    for _ in range(4):
        assert len(cheap(SCOPE)) == 3000


def test_steps_of_patterns_count_as_work():
    many = plan.Call(function="range", arguments={"length": c(100)})
    slow = plan.Call(function="matches", arguments={"text": c("a" * 5000), "pattern": c("(a|a|a)*b")}, origin=HERE)
    found = fault(each(slow, many))
    assert (found.fault_class, found.origin) == ("budget_exceeded", HERE)


def test_counting_a_long_list_is_cheap():
    counted = plan.Call(function="count", arguments={"of": ref("many")})
    scope = Scope({"many": list(range(4000))})
    assert value(each(counted, ref("many")), scope) == [4000] * 4000


def test_calls():
    first_two = plan.Call(function="take", arguments={"items": ref("xs"), "most": c(2)}, origin=HERE)
    assert value(first_two) == [1, 2]
    found = fault(plan.Call(function="div", arguments={"number": c(1), "by": c(0)}, origin=HERE))
    assert (found.fault_class, found.origin) == ("precondition", HERE)
    wrong_value = plan.Call(function="upper", arguments={"text": c(1)})
    assert fault(wrong_value).fault_class == "internal"


@pytest.mark.parametrize(("function", "arguments"), [("len", {}), ("take", {}), ("upper", {"text": c(""), "x": c(1)})])
def test_calls_that_no_checker_lets_through_are_refused_at_load(function, arguments):
    with pytest.raises(EvaluationFault) as caught:
        compile_expression(plan.Call(function=function, arguments=arguments))
    assert caught.value.fault_class == "internal"


def test_deep_expressions_are_a_fault():
    deep = c(True)
    for _ in range(3000):
        deep = plan.Not.model_construct(operand=deep)
    with pytest.raises(EvaluationFault, match="nested too deep"):
        compile_expression(deep)
