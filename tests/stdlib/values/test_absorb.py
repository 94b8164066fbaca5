"""Unions keep every value and every field of their members."""

from stdlib.values import types as t
from stdlib.values.absorb import absorb
from stdlib.values.subtype import fits

SHORT = t.Scalar("string", (("maxLength", 3),))


def _record(*names: str, open: bool = True, required: bool = True) -> t.Record:
    return t.Record(tuple(t.Field(name, t.STRING, required) for name in names), open)


def test_limits_that_one_member_lacks_are_gone():
    assert t.union(SHORT, t.STRING) == t.STRING
    assert t.union(SHORT, t.LiteralType("long enough")) == t.STRING
    assert t.union(t.ListType(SHORT), t.ListType(t.DATE)) == t.ListType(t.STRING)
    assert t.union(SHORT, SHORT) == SHORT


def test_a_record_takes_in_only_one_that_has_its_fields():
    assert t.union(_record("a"), _record("a", "b")) == _record("a")
    apart = t.union(_record("a", required=False), _record("b", required=False))
    assert t.members(apart) == (_record("a", required=False), _record("b", required=False))


def test_a_record_that_took_in_an_open_one_is_open():
    assert absorb(_record("a", open=False), _record("a")) == _record("a")


def test_one_and_true_are_two_literals():
    assert t.members(t.union(t.LiteralType(1), t.LiteralType(True))) == (t.LiteralType(1), t.LiteralType(True))
    assert t.union(t.LiteralType(1), t.LiteralType(1.0)) == t.LiteralType(1)


def test_what_does_not_fit_is_not_taken_in():
    assert absorb(t.STRING, t.INTEGER) is None
    assert absorb(t.NUMBER, t.INTEGER) == t.NUMBER
    assert absorb(t.MapType(SHORT), _record("a", open=False)) == t.MapType(t.STRING)
    assert absorb(t.MapType(SHORT), _record("a")) is None
    assert absorb(t.MapType(t.JSON), _record("a")) == t.MapType(t.JSON)


def test_thousands_of_choices_are_compared_by_hash(monkeypatch):
    compared: list[tuple[t.Type, t.Type]] = []

    def counted(a: t.Type, b: t.Type) -> object:
        compared.append((a, b))
        return fits(a, b)

    monkeypatch.setattr("stdlib.values.absorb.fits", counted)
    many = [t.LiteralType(f"choice {i}") for i in range(3000)]
    choices = t.union(*many, t.NULL, *many, t.LiteralType(1))
    assert t.members(choices) == (*many, t.LiteralType(1), t.NULL)
    assert len(compared) < 4 * len(many)
    assert fits(choices, t.union(*reversed(many), t.NUMBER, t.NULL)) is None
    assert t.union(choices, t.STRING) == t.union(t.LiteralType(1), t.STRING, t.NULL)
    assert t.members(t.union(t.LiteralType("a"), t.NEVER, _with_default(), t.LiteralType("a")))[0] == t.LiteralType("a")


def _with_default() -> t.Record:
    return t.Record((t.Field("a", t.ListType(t.STRING), False, default=([],)),))
