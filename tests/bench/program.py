"""An ordinary program of any length, the same for the same number: what the benchmarks read.

Chains are put together from blocks (steps, what is computed of them, one field of the output each) over the sample
sources in `tests/golden/sources`; every chain has its own mix, names, clauses, texts and comments. The program has no
mistake, so that the fast path is measured.
"""

import random

from dsl.tokens import words
from tests.bench.templates import BLOCKS, HEAD, HELPER, REFUND, START, STORED

SEED = 20_260_101

NOUNS = words(
    "account address answer article basket batch branch bundle carton client contact credit customer delivery desk "
    "draft entry folder invoice label ledger letter market message mirror notice offer order packet page parcel "
    "payment permit picture price product profile queue quote receipt record region release report request return "
    "review room route sale sample schedule season shelf signal store supplier survey team ticket topic transfer "
    "visit voucher warehouse window"
)
VERBS = ("check", "close", "collect", "compare", "count", "find", "follow", "list", "notify", "review", "sort", "watch")
TAILS = ("of the week", "for support", "before the weekend", "since the last release", "that nobody owns", "in detail")


def program(lines: int, seed: int = SEED) -> str:
    """A program of at least so many lines (up to one chain more)."""
    maker = _Maker(random.Random(seed))
    parts = [HEAD]
    length = HEAD.count("\n")
    while length < lines:
        parts.append("\n" + maker.chain())
        length += parts[-1].count("\n")
    return "".join(parts)


class _Maker:
    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.taken: set[str] = set()
        self.helpers: list[str] = []

    def chain(self) -> str:
        """A chain; from time to time a private one that later chains call."""
        name = self.name()
        if len(self.helpers) < 3 or self.chance.random() < 0.15:
            self.helpers.append(name)
            return self.filled(HELPER.replace("@c", name))
        if self.chance.random() < 0.2:
            return self.filled(self.chance.choice((STORED, REFUND)).replace("@c", name))
        blocks = self.chance.sample(BLOCKS, self.chance.randint(2, 6))
        nouns = self.chance.sample(NOUNS, len(blocks) + 1)
        members = [START.replace("@c", name)]
        types: list[str] = []
        values: list[str] = []
        for block, noun in zip(blocks, nouns, strict=False):
            members.append(_indented(block.members.replace("@a", noun), 1))
            types.append(f"    {noun}: {block.type.replace('@a', noun)},\n")
            values.append(_indented(f"{noun}: {block.value.replace('@a', noun)},\n", 2))
        last = nouns[-1]
        called = self.chance.choice(self.helpers)
        members.append(f"  step {last} = for each name in names do {called}(name: name) {{ on item_error skip }}\n")
        types.append(f"    {last}: list<string>,\n")
        values.append(f"    {last}: sort(flatten({last})),\n")
        members.append(
            "  output {\n" + "".join(types) + "  } = {\n" + "".join(values) + "  } {\n"
            f'    summary "@t: ${{count({last})}}"\n  }}\n'
        )
        return self.filled("\n".join(members) + "}\n")

    def name(self) -> str:
        while True:
            name = "_".join((self.chance.choice(VERBS), *self.chance.sample(NOUNS, 2)))
            if name not in self.taken:
                self.taken.add(name)
                return name

    def filled(self, text: str) -> str:
        """The text with every placeholder replaced, each by something new."""
        head, *rest = text.split("@")
        return head + "".join(self.word(part[0]) + part[1:] for part in rest)

    def word(self, kind: str) -> str:
        chance = self.chance
        if kind == "i":
            return str(chance.randint(2, 99))
        if kind == "m":
            return str(chance.randint(1, 9))
        if kind == "d":
            return f"{chance.randint(2, 30)}{chance.choice('smhd')}"
        if kind == "n":
            return chance.choice(NOUNS)
        words = f"{chance.choice(VERBS)} every {chance.choice(NOUNS)} {chance.choice(TAILS)}"
        return words.capitalize() if kind == "T" else words


def _indented(text: str, depth: int) -> str:
    return "".join(f"{'  ' * depth}{line}" if line.strip() else line for line in text.splitlines(keepends=True))
