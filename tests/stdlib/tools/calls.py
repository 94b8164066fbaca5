"""Calls of the standard library's tools with what they must give: each tool has some."""

from typing import Any

ROWS = [
    {"city": "Turin", "n": 1, "x": 0.5},
    {"city": "Oslo", "n": 2, "x": None},
    {"city": "Turin", "n": 10**20, "x": 0.25},
    {"city": None, "n": 4},
]
BEFORE = {"a": [1, 2, 3], "b": {"~/": True}, "gone": None}
AFTER = {"a": [1, 9], "b": {"~/": 1, "new": [None]}}

CALLS: list[tuple[str, str, dict[str, Any], Any]] = [
    ("base64", "encode", {"text": "é?>"}, "w6k/Pg=="),
    ("base64", "encode", {"text": "é?>", "url_safe": True}, "w6k_Pg=="),
    ("base64", "decode", {"encoded": "w6k_\nPg"}, "é?>"),
    ("base64", "decode", {"encoded": ""}, ""),
    (
        "hash",
        "digest",
        {"text": "abc"},
        {
            "hex": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            "base64": "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=",
        },
    ),
    (
        "hash",
        "digest",
        {"text": "", "algorithm": "md5"},
        {"hex": "d41d8cd98f00b204e9800998ecf8427e", "base64": "1B2M2Y8AsgTpgAmY7PhCfg=="},
    ),
    (
        "hash",
        "of_json",
        {"value": {"b": 1.0, "a": []}},
        "1c8f8816506a8ccbc55140d8a7bb70214a8942c7030fc0fc2914cec675cd1c15",
    ),
    ("uuid", "v5", {"namespace": "dns", "name": "python.org"}, "886313e1-3b8a-5372-9b90-0c9aee199e5d"),
    (
        "uuid",
        "v5",
        {"namespace": "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "name": "python.org"},
        "886313e1-3b8a-5372-9b90-0c9aee199e5d",
    ),
    ("json", "get", {"value": {"a/b": [{"~": 7}]}, "pointer": "/a~1b/0/~0"}, {"found": True, "value": 7}),
    ("json", "get", {"value": {"a": None}, "pointer": "/a"}, {"found": True, "value": None}),
    ("json", "get", {"value": [1], "pointer": "/1"}, {"found": False, "value": None}),
    ("json", "get", {"value": [1], "pointer": "/00"}, {"found": False, "value": None}),
    ("json", "get", {"value": 5, "pointer": ""}, {"found": True, "value": 5}),
    (
        "json",
        "patch",
        {
            "value": {"a": [1, 2], "b": 3},
            "operations": [
                {"op": "test", "path": "/a/1", "value": 2},
                {"op": "add", "path": "/a/1", "value": 9},
                {"op": "add", "path": "/a/-", "value": 4},
                {"op": "move", "from": "/b", "path": "/c"},
                {"op": "copy", "from": "/a/0", "path": "/d"},
                {"op": "remove", "path": "/a/0"},
                {"op": "replace", "path": "/c", "value": None},
            ],
        },
        {"a": [9, 2, 4], "c": None, "d": 1},
    ),
    (
        "json",
        "merge",
        {
            "value": {"a": 1, "b": {"c": 2, "d": 3}, "e": [1]},
            "changes": {"a": None, "b": {"c": None, "x": 4}, "e": [2]},
        },
        {"b": {"d": 3, "x": 4}, "e": [2]},
    ),
    (
        "json",
        "diff",
        {"before": BEFORE, "after": AFTER},
        [
            {"op": "remove", "path": "/gone", "value": None},
            {"op": "replace", "path": "/a/1", "value": 9},
            {"op": "remove", "path": "/a/2", "value": None},
            {"op": "replace", "path": "/b/~0~1", "value": 1},
            {"op": "add", "path": "/b/new", "value": [None]},
        ],
    ),
    (
        "tables",
        "read_csv",
        {"text": 'a,b\r\n1,"x,\n""y"""\n\n2\n'},
        {"columns": ["a", "b"], "rows": [{"a": "1", "b": 'x,\n"y"'}, {"a": "2", "b": None}]},
    ),
    (
        "tables",
        "read_csv",
        {"text": "1;2", "separator": ";", "columns": ["a", "b"]},
        {"columns": ["a", "b"], "rows": [{"a": "1", "b": "2"}]},
    ),
    ("tables", "read_csv", {"text": ""}, {"columns": [], "rows": []}),
    (
        "tables",
        "write_csv",
        {"rows": [{"a": 'x"', "b": None, "c": [1]}, {"d": True}]},
        'a,b,c,d\r\n"x""",,[1],\r\n,,,true\r\n',
    ),
    ("tables", "write_csv", {"rows": [{"a": 1, "b": 2}], "separator": "\t", "columns": ["b", "z"]}, "b\tz\r\n2\t\r\n"),
    ("tables", "write_csv", {"rows": []}, ""),
    ("tables", "read_jsonl", {"text": '{"a": 1}\n\n10000000000000000000000\n'}, [{"a": 1}, 10**22]),
    ("tables", "write_jsonl", {"rows": [{"a": "é"}, None]}, '{"a":"é"}\nnull\n'),
    (
        "tables",
        "join",
        {
            "left": [{"id": 1, "v": "a"}, {"id": 2, "v": "b"}, {"id": None, "v": "c"}],
            "right": [{"id": 1.0, "v": "x"}, {"id": 1, "w": "y"}, {"id": None, "v": "z"}, {"id": True}],
            "on": ["id"],
        },
        [{"id": 1, "v": "a", "v_right": "x"}, {"id": 1, "v": "a", "w": "y"}],
    ),
    (
        "tables",
        "join",
        {"left": [{"id": 2, "v": "b"}], "right": [], "on": ["id"], "how": "left"},
        [{"id": 2, "v": "b"}],
    ),
    (
        "tables",
        "aggregate",
        {
            "rows": ROWS,
            "by": ["city"],
            "columns": [
                {"name": "rows", "how": "count"},
                {"name": "known", "of": "x", "how": "count"},
                {"name": "sum", "of": "n", "how": "sum"},
                {"name": "mean", "of": "x", "how": "mean"},
                {"name": "least", "of": "n", "how": "min"},
                {"name": "last", "of": "n", "how": "last"},
            ],
        },
        [
            {"city": "Turin", "rows": 2, "known": 2, "sum": 10**20 + 1, "mean": 0.375, "least": 1, "last": 10**20},
            {"city": "Oslo", "rows": 1, "known": 0, "sum": 2, "mean": None, "least": 2, "last": 2},
            {"city": None, "rows": 1, "known": 0, "sum": 4, "mean": None, "least": 4, "last": 4},
        ],
    ),
    (
        "tables",
        "aggregate",
        {
            "rows": ROWS,
            "by": [],
            "columns": [
                {"name": "cities", "of": "city", "how": "distinct"},
                {"name": "all", "of": "city", "how": "list"},
                {"name": "first", "of": "city", "how": "first"},
                {"name": "most", "of": "city", "how": "max"},
            ],
        },
        [
            {
                "cities": ["Turin", "Oslo"],
                "all": ["Turin", "Oslo", "Turin"],
                "first": "Turin",
                "most": "Turin",
            }
        ],
    ),
    ("tables", "aggregate", {"rows": [], "by": [], "columns": [{"name": "n", "how": "count"}]}, [{"n": 0}]),
    ("tables", "join", {"left": [], "right": [{"b": 1}], "on": ["b"]}, []),
    ("tables", "sort", {"rows": [], "by": [{"column": "a"}]}, []),
    ("tables", "aggregate", {"rows": [], "by": ["a"], "columns": []}, []),
    (
        "tables",
        "write_markdown",
        {"rows": [{"a": "x|y\\\nz", "b": 1}, {"a": None, "c": [True]}]},
        "| a | b | c |\n| --- | --- | --- |\n| x\\|y\\\\ z | 1 |  |\n|  |  | [true] |\n",
    ),
    ("tables", "write_markdown", {"rows": [{}]}, ""),
    (
        "text",
        "from_html",
        {"html": "<head><title>T<body>x <a href=y>z"},
        {"text": "x z", "title": "T", "links": [{"text": "z", "href": "y"}]},
    ),
    ("text", "from_html", {"html": "<head><title>T</title>x"}, {"text": "x", "title": "T", "links": []}),
    (
        "tables",
        "pivot",
        {
            "rows": [
                {"city": "Turin", "year": 2025, "n": 1},
                {"city": "Oslo", "year": 2026, "n": 2},
                {"city": "Turin", "year": 2025, "n": 4},
                {"city": "Turin", "year": None, "n": 9},
            ],
            "by": ["city"],
            "column": "year",
            "value": "n",
            "how": "sum",
        },
        [{"city": "Turin", "2025": 5, "2026": None}, {"city": "Oslo", "2025": None, "2026": 2}],
    ),
    ("tables", "sort", {"rows": [{"a": 1}, {"a": 2}], "by": [{"column": "a", "order": "desc"}]}, [{"a": 2}, {"a": 1}]),
    (
        "tables",
        "typed",
        {"rows": [{"a": "1", "b": "x"}, {"a": "", "b": None}], "columns": {"a": "integer"}},
        {"columns": {"a": "integer"}, "rows": [{"a": 1, "b": "x"}, {"a": None, "b": None}]},
    ),
    (
        "text",
        "from_html",
        {
            "html": """<!doctype html><html><head><title> The
            &amp; title </title><style>p { x }</style><script>if (a < b) {}</script></head>
            <body><h1>Head</h1><p>One <b>two</b>
            three&nbsp;four<br>five<p>six <a href=" /x?a=1&amp;b=2 ">the <i>link</i></a>
            <ul><li>a</li><li>b</ul>
            <table><tr><td>1<td>2</tr><tr><th>3</th> <td>4</td></tr></table>
            <pre>  kept
              so</pre><template>no</template></body></html>"""
        },
        {
            "text": "Head\n\nOne two three\u00a0four\nfive\nsix the link\n\na\n\nb\n\n1\t2\n\n3\t4\n\nkept\nso",
            "title": "The & title",
            "links": [{"text": "the link", "href": "/x?a=1&b=2"}],
        },
    ),
    ("text", "from_html", {"html": "a < b & c"}, {"text": "a < b & c", "title": None, "links": []}),
    (
        "text",
        "from_html",
        {"html": "<p>1 <!-- <p>no --> 2<script>'<!--'</script> 3 <!-- the rest"},
        {"text": "1 2 3", "title": None, "links": []},
    ),
    (
        "text",
        "html_tables",
        {
            "html": """<table><caption>Prices <i>now</i></caption>
            <thead><tr><th>Item<th>n<th>n</tr></thead>
            <tr><td rowspan=2>Apple &amp; pear<td>1<td>2</tr> <tr><td>3</tr>
            <tr><td colspan=2>both <table><tr><td>inner</table></td></tr></table><table></table>"""
        },
        [
            {
                "caption": "Prices now",
                "columns": ["Item", "n", "n_2"],
                "rows": [
                    {"Item": "Apple & pear", "n": "1", "n_2": "2"},
                    {"Item": "Apple & pear", "n": "3", "n_2": None},
                    {"Item": "both", "n": "both", "n_2": None},
                ],
            },
            {"caption": None, "columns": ["column_1"], "rows": [{"column_1": "inner"}]},
        ],
    ),
    ("text", "html_tables", {"html": "no table"}, []),
    ("text", "diff", {"before": "a\nb\nc", "after": "a\nx\nc\n", "context": 0}, "@@ -2 +2 @@\n-b\n+x"),
    ("text", "diff", {"before": "a\r\nb", "after": "a\nb"}, ""),
]

REFUSED: list[tuple[str, str, dict[str, Any], str]] = [
    ("base64", "decode", {"encoded": "a*b"}, "this is no base64"),
    ("base64", "decode", {"encoded": "/w=="}, "what is encoded is no UTF-8 text"),
    ("json", "get", {"value": 1, "pointer": "a"}, 'the pointer "a" does not begin with `/`'),
    (
        "json",
        "patch",
        {"value": {"a": 1}, "operations": [{"op": "add", "path": "/b", "value": 1}, {"op": "remove", "path": "/x"}]},
        "operation 2 (remove `/x`): there is no `x`",
    ),
    ("json", "patch", {"value": [1], "operations": [{"op": "add", "path": "/9", "value": 1}]}, "there is no `9`"),
    ("json", "patch", {"value": [1], "operations": [{"op": "replace", "path": "/x"}]}, "`x` is no place in a list"),
    ("json", "patch", {"value": 1, "operations": [{"op": "add", "path": "/x"}]}, "neither object nor list"),
    ("json", "patch", {"value": 1, "operations": [{"op": "move", "path": "/x"}]}, "it needs `from`"),
    (
        "json",
        "patch",
        {"value": {"a": {}}, "operations": [{"op": "move", "from": "/a", "path": "/a/b"}]},
        "into itself",
    ),
    (
        "json",
        "patch",
        {"value": 1, "operations": [{"op": "test", "path": "", "value": True}]},
        "another value is there",
    ),
    (
        "tables",
        "join",
        {"left": [{"a": 1}], "right": [{"a": 1}], "on": ["A"]},
        "no row of `left` has the column `A`; there",
    ),
    (
        "tables",
        "join",
        {"left": [{"a": 1}], "right": [{"b": 1, "c": 2}], "on": ["a"]},
        "`right` has the column `a`; there are: `b`, `c`",
    ),
    (
        "tables",
        "aggregate",
        {"rows": [{"a": 1}], "by": ["a"], "columns": [{"name": "s", "of": "zz", "how": "sum"}]},
        "no row of `rows` has the column `zz`; there are: `a`",
    ),
    ("tables", "aggregate", {"rows": [{"a": 1}], "by": ["x"], "columns": []}, "has the column `x`"),
    ("tables", "pivot", {"rows": [{"a": 1, "b": 2}], "by": ["a"], "column": "B", "value": "b"}, "has the column `B`"),
    ("tables", "pivot", {"rows": [{"a": 1, "b": 2}], "by": ["a"], "column": "b", "value": "v"}, "has the column `v`"),
    ("tables", "sort", {"rows": [{"a": 1}, {"b": 1}], "by": [{"column": "zz"}]}, "`zz`; there are: `a`, `b`"),
    ("tables", "sort", {"rows": [{}], "by": [{"column": "zz"}]}, "there are: none"),
    ("tables", "read_csv", {"text": 'a\n"x'}, "this is no CSV: "),
    ("tables", "read_csv", {"text": "a,a\n1,2"}, "two columns are called `a`"),
    ("tables", "read_csv", {"text": "a\n1,2"}, "row 1 has 2 fields, and there are 1 columns"),
    ("tables", "read_jsonl", {"text": "1\n{"}, "line 2 is no JSON: "),
    (
        "tables",
        "aggregate",
        {"rows": [{"a": "x"}], "by": [], "columns": [{"name": "s", "of": "a", "how": "sum"}]},
        "`a` has values of which no sum can be made",
    ),
    (
        "tables",
        "aggregate",
        {"rows": [{"a": "x"}, {"a": 1}], "by": [], "columns": [{"name": "s", "of": "a", "how": "min"}]},
        "`a` has values of which no min can be made",
    ),
    ("tables", "aggregate", {"rows": [], "by": [], "columns": [{"name": "s", "how": "sum"}]}, "`s` needs `of`"),
    (
        "tables",
        "join",
        {"left": [{"a": 1}] * 500, "right": [{"a": 1}] * 500, "on": ["a"]},
        "it would give more than 200000 rows",
    ),
    (
        "tables",
        "pivot",
        {"rows": [{"a": "a", "n": 1}], "by": ["a"], "column": "a", "value": "n"},
        "`a` would be a column twice",
    ),
    ("tables", "sort", {"rows": [{"a": 1}, {"a": "x"}], "by": [{"column": "a"}]}, "have no order: number, text"),
    (
        "tables",
        "typed",
        {"rows": [{"a": "1"}, {"a": "1.5"}], "columns": {"a": "integer"}},
        "`a` of row 2 is `1.5`, which is no integer",
    ),
    ("text", "from_html", {"html": "x" * 2_000_001}, "the page has more than 2000000 characters"),
    ("text", "diff", {"before": "x\n" * 5001, "after": ""}, "a text has more than 5000 lines"),
]
