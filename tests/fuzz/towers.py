"""Towers: something put into itself again and again, and very long rows of one thing."""

from random import Random

_HEIGHTS = (30, 99, 101, 300, 2000)
_PLACES = (
    *("@", "let x = @", "type T = @", "chain c {@}"),
    *(
        "chain c { input a: @ output = @ }",
        'chain c { output = "${@}" }',
        "chain c { step s = a(b: @) { @ } output = s }",
    ),
)
# What stands before, in and behind, with a `~` between: `[~1~]` makes `[[[1]]]`.
_ROWS = r'''
[~1~]
(~1~)
{ a: ~1~}
not ~true~
- ~1~
"${~1~}"
"""${~1~}"""
if true then 1 else ~1~
if ~true~ then 1 else 2
1 + ~1~
1 ?? ~1~
a.~a~
a[~1~]
~a~!
~a~?.b
~1~ as string
count(~1~)
[a for a in ~1~]
{[a]: ~1~ for a in a}
...~a~
list<~string~>
map<~string~>
{ a: ~string~ }
string | ~string~
~T~?
section s { ~let a = 1~ }
step s = for each a in b { ~return a~ return a }
let a = 1 ~~
input a: string ~~
a, ~a~
[a, ~a~]
a { ~~ }
{~~}
x => ~x~
${~a~}
{{~a~}}
/*~~*/
'~~'
@~~
'''
_TOWERS = (
    *(row.split("~") for row in _ROWS.strip().splitlines()),
    *(["// c\n", "", ""], ["/// d\n", "let a = 1", ""], ["\n", "", ""]),
)


def tower(chance: Random) -> str:
    """A tower in some place of a file; of every fifth one the upper half is missing."""
    opening, core, closing = chance.choice(_TOWERS)
    height = chance.choice(_HEIGHTS)
    if chance.random() < 0.2:
        closing = ""
    return chance.choice(_PLACES).replace("@", opening * height + core + closing * height)
