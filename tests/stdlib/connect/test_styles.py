"""The table of styles in OpenAPI 3.1 (section 4.8.12.4), and values that try to be more than a value."""

from __future__ import annotations

from typing import Any

import pytest

from stdlib.connect.styles import Unsendable, cookie_pair, header_text, pairs, path_text
from stdlib.plan.openapi import Parameter

LIST = ["blue", "black", "brown"]
RECORD = {"R": 100, "G": 200, "B": 150}


def made(location: str, style: str, explode: bool, **more: Any) -> Parameter:
    return Parameter.model_validate(
        {"argument": "color", "name": "color", "location": location, "style": style, "explode": explode, **more}
    )


def query(value: Any, style: str = "form", explode: bool = True, **more: Any) -> str:
    return "&".join(f"{name}={text}" for name, text in pairs(made("query", style, explode, **more), value))


@pytest.mark.parametrize(
    ("style", "explode", "text", "of_list", "of_record"),
    [
        ("simple", False, "blue", "blue,black,brown", "R,100,G,200,B,150"),
        ("simple", True, "blue", "blue,black,brown", "R=100,G=200,B=150"),
        ("label", False, ".blue", ".blue,black,brown", ".R,100,G,200,B,150"),
        ("label", True, ".blue", ".blue.black.brown", ".R=100.G=200.B=150"),
        ("matrix", False, ";color=blue", ";color=blue,black,brown", ";color=R,100,G,200,B,150"),
        ("matrix", True, ";color=blue", ";color=blue;color=black;color=brown", ";R=100;G=200;B=150"),
    ],
)
def test_styles_of_paths(style: str, explode: bool, text: str, of_list: str, of_record: str):
    parameter = made("path", style, explode)
    assert [path_text(parameter, each) for each in ("blue", LIST, RECORD)] == [text, of_list, of_record]


@pytest.mark.parametrize(
    ("style", "explode", "value", "text"),
    [
        ("form", True, "blue", "color=blue"),
        ("form", True, "", "color="),
        ("form", True, LIST, "color=blue&color=black&color=brown"),
        ("form", True, RECORD, "R=100&G=200&B=150"),
        ("form", False, LIST, "color=blue,black,brown"),
        ("form", False, RECORD, "color=R,100,G,200,B,150"),
        ("spaceDelimited", False, LIST, "color=blue%20black%20brown"),
        ("spaceDelimited", False, RECORD, "color=R%20100%20G%20200%20B%20150"),
        ("spaceDelimited", True, LIST, "color=blue&color=black&color=brown"),
        ("pipeDelimited", False, LIST, "color=blue%7Cblack%7Cbrown"),
        ("deepObject", True, RECORD, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"),
        ("form", True, [], ""),
        ("form", False, [], ""),
        ("form", True, {}, ""),
        ("form", True, True, "color=true"),
        ("form", True, 1.0, "color=1"),
        ("form", True, 12345678901234567890123, "color=12345678901234567890123"),
    ],
)
def test_styles_of_queries(style: str, explode: bool, value: Any, text: str):
    assert query(value, style, explode) == text


def test_styles_of_headers_and_cookies():
    assert header_text(made("header", "simple", False), RECORD) == "R,100,G,200,B,150"
    assert header_text(made("header", "simple", True), RECORD) == "R=100,G=200,B=150"
    assert header_text(made("header", "simple", False), LIST) == "blue,black,brown"
    assert cookie_pair(made("cookie", "form", True), "a b;c") == "color=a%20b%3Bc"
    assert cookie_pair(made("cookie", "form", False), LIST) == "color=blue,black,brown"


def test_json_in_a_parameter():
    assert query({"a": [1, "&"]}, json_text=True) == "color=%7B%22a%22%3A%5B1%2C%22%26%22%5D%7D"
    assert header_text(made("header", "simple", False, json_text=True), {"a": "ü\n"}) == '{"a":"\\u00fc\\n"}'
    assert path_text(made("path", "simple", False, json_text=True), {"a": 1}) == "%7B%22a%22%3A1%7D"


def test_no_value_ends_a_parameter():
    assert query("a&admin=1#x") == "color=a%26admin%3D1%23x"
    assert query("a+b %ü") == "color=a%2Bb%20%25%C3%BC"
    assert query(["a,b", "c"], explode=False) == "color=a%2Cb,c"
    assert query({"x]=1&y[": "v"}, "deepObject") == "color%5Bx%5D%3D1%26y%5B%5D=v"
    assert query("/a?b=c&d#e[f]", reserved=True) == "color=/a?b%3Dc%26d%23e%5Bf%5D"
    assert query(["a,b", "/"], explode=False, reserved=True) == "color=a%2Cb,/"
    assert path_text(made("path", "simple", False), "a/b?c#d;e") == "a%2Fb%3Fc%23d%3Be"
    assert path_text(made("path", "simple", False), ["a,b", "c"]) == "a%2Cb,c"


@pytest.mark.parametrize(
    "value",
    ["..", ".", "", "../x", "a/../b", "a\\..\\b", "x/.", [], ["a", ".."], {"k": ".."}, {"..": "k"}, "a\nb", "a\0"],
)
def test_no_value_climbs_in_a_path(value: Any):
    with pytest.raises(Unsendable):
        path_text(made("path", "simple", False), value)


@pytest.mark.parametrize("value", ["..a", "a..b", "...", ".hidden", "a/b"])
def test_dots_that_are_names(value: str):
    assert path_text(made("path", "simple", False), value) == value.replace("/", "%2F")


@pytest.mark.parametrize(
    "value", ["a\r\nX-Admin: 1", "a\nb", "a\rb", "a\0b", "ü", " a", "a ", "a\x7f", ["a", "b\r\n"], {"a\n": "b"}]
)
def test_no_value_ends_a_header(value: Any):
    with pytest.raises(Unsendable):
        header_text(made("header", "simple", False), value)


@pytest.mark.parametrize(
    ("style", "explode", "value"),
    [
        ("form", True, [[1]]),
        ("form", True, {"a": {"b": 1}}),
        ("form", True, [None]),
        ("deepObject", True, {"a": [1]}),
        ("deepObject", True, [1]),
        ("spaceDelimited", False, ["a b", "c"]),
        ("pipeDelimited", False, ["a|b", "c"]),
    ],
)
def test_what_a_style_cannot_write(style: str, explode: bool, value: Any):
    with pytest.raises(Unsendable):
        query(value, style, explode)
