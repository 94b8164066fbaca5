"""The texts that programs are put together from. In all of them `@` and a letter is filled in: see `program.py`."""

from dataclasses import dataclass

HEAD = """\
// What the support team does by hand otherwise.
import github from mcp "github"
import slack from mcp "slack" {
  tool post_message { effects open_world }
}
import pay from mcp "pay" {
  tool refund {
    effects destructive
    scopes "refunds:write"
    cost (call: 0.02)
  }
}
import shop from mcp "shop" {
  /// One row a day.
  tool report returns list<{ day: string, total: string? }> { parse csv }
}

/// One line of a digest.
type Line = {
  /// Number in the repository.
  number: integer,
  title: string,
  age: integer,
  owner: string?,
  last_word: string?,
}

type Article = { sku: string, quantity: integer, free: integer? }

kind digest = list<Line>

let least_stock = 3
let greeting = "Good morning"

defaults {
  timeout 20s
  // A post is not safe to repeat, so it is not retried.
  retry 2 (wait: 1s, max_wait: 10s, on: ["timeout", "rate_limited"])
}
"""


@dataclass(frozen=True, slots=True)
class Block:
    """Members of a chain, and the field they give to the output. In the texts `@a` is a name of the block's own (all
    its names begin with it), `@i`, `@t` and `@d` are a small number, a few words and a duration."""

    members: str
    type: str
    value: str


BLOCKS = (
    Block(
        """\
step @a_open = github.list_issues(repo: repo, state: "open", per_page: @i)
// Untouched for longer than that is stale.
let @a_stale = [i for i in @a_open.items if run.started_at - i.updated_at > @d]

step @a_comments = for each issue in @a_stale do github.last_comment(repo: repo, number: issue.number) {
  parallel 4
  on item_error use { body: null, author: null }
}

let @a_lines = [
  {
    number: i.number,
    title: i.title,
    age: days(run.started_at - i.updated_at),
    owner: i.assignee?.login,
    last_word: @a_comments[index_of(@a_stale, i)]?.author,
  }
  for i in sort(@a_stale, by: "updated_at")
]
""",
        "list<Line>",
        "@a_lines",
    ),
    Block(
        """\
step @a_order = shop.get_order(order_id: key) { on error skip }
let @a_paid = @a_order != null and @a_order.status == "paid" and @a_order.total - @a_order.refunded > @i * 100
""",
        "{ paid: boolean, status: string }",
        '{ paid: @a_paid, status: @a_order?.status ?? "unknown" }',
    ),
    Block(
        """\
step @a_order = shop.get_order(order_id: "${key}-@i")
step @a_stock = for each item in @a_order.items do shop.stock(sku: item.sku) {
  parallel 8
  timeout @d
  on item_error skip
}
let @a_missing = [s.sku for s in @a_stock if s.available < least_stock or s.rate < 0.@i]
let @a_articles = [
  { sku: item.sku, quantity: item.quantity, free: first([s.available for s in @a_stock if s.sku == item.sku]) }
  for item in @a_order.items
]
""",
        "{ missing: list<string>, articles: list<Article> }",
        "{ missing: unique(@a_missing), articles: @a_articles }",
    ),
    Block(
        """\
section @a {
  when channel != null and not dry_run
  any_order

  /// What is said there.
  let @a_text = "${greeting}: @t, ${if dry_run then "in theory" else "in fact"}"
  step @a_post = slack.post_message(channel: channel, text: @a_text)
  step @a_reply = slack.post_message(channel: channel, text: "@t: ${key}", thread: @a_post.ts) {
    on error fail "Posted once, but not twice: ${@a_text}"
  }
}
""",
        "list<string?>",
        "[@a_post?.ts, @a_reply?.ts]",
    ),
    Block(
        """\
step @a_found = shop.list_orders(customer: key, limit: @i)
let @a_totals = [o.total - o.refunded for o in @a_found.orders if o.status in ["paid", "shipped"]]
let @a_by_state = { ...tally(@a_found.orders, by: "status"), all: count(@a_found.orders) }
let @a_average = if count(@a_totals) > 0 then sum(@a_totals) / count(@a_totals) else null
""",
        "{ states: map<integer>, average: number?, most: integer? }",
        "{ states: @a_by_state, average: @a_average, most: max(@a_totals) }",
    ),
    Block(
        """\
/// What was configured for this repository.
step @a_settings = github.get_settings(repo: repo)
let @a_theme = @a_settings.settings as { theme: string, depth: integer?, tags: list<string> }
let @a_flags = {[e.key]: e.value for e in entries(@a_settings.flags) if e.value and e.key != "@t"}
""",
        "{ theme: string, depth: integer, flags: integer, beta: boolean }",
        """{
  theme: @a_theme.theme,
  depth: @a_theme.depth ?? @i,
  flags: count(@a_flags),
  beta: @a_flags["beta"] ?? false,
}""",
    ),
    Block(
        """\
step @a_issue = github.get_issue(repo: repo, number: number + @i)
let @a_owner = if @a_issue.assignee == null then "nobody" else @a_issue.assignee.login
let @a_due = @a_issue.milestone?.due
step @a_told = slack.post_message(channel: channel, text: @a_issue.body) {
  when channel != null and @a_issue.body != null
}
""",
        "{ owner: string, due: date?, told: boolean, short: string }",
        """{
  owner: upper(@a_owner),
  due: @a_due,
  told: succeeded(@a_told),
  short: "${@a_issue.title} (${@a_owner}): ${@a_issue.body ?? "@t"}",
}""",
    ),
    Block(
        """\
step @a_noted = shop.set_note(
  order_id: key,
  note: \"\"\"
    @t
      \\"@t\\", $@i
    \"\"\",
  tags: { by: "chainc", [key]: "@t" },
) {
  retry 3 (wait: 500ms)
  when not dry_run
}
""",
        "boolean",
        "@a_noted?.ok ?? false",
    ),
    Block(
        """\
step @a_rows = for each name in names {
  parallel 4
  on item_error use { name: "@t", words: 0, share: 0.0 }

  step comment = github.last_comment(repo: repo, number: number) {
    timeout @d
    on error use { body: null, author: null }
  }
  let words = [word for word in split(comment.body ?? "", " ") if word != "" and not (word in names)]

  return { name: "${name}/${number}", words: count(words), share: count(words) / @i }
}
""",
        "map<integer>",
        "{[r.name]: r.words for r in @a_rows if r.words > @i % 7 and r.share <= 0.@i}",
    ),
    Block(
        """\
step @a_days = shop.report(month: "2026-0@m")
let @a_worst = first(sort(@a_days, by: "day", order: "desc"))
""",
        "{ day: string, total: string }",
        '{ day: @a_worst?.day ?? "none", total: @a_worst?.total ?? "0" }',
    ),
)

HELPER = """\
/// @T.
private chain @c {
  effects read_only

  input name: string
  input limit: integer(min: 1, max: 200) = @i

  step found = shop.list_orders(customer: name, limit: limit)

  output list<string> = [o.id for o in found.orders if o.total > @i00 and o.currency == "EUR"]
}
"""

STORED = """\
/// @T.
chain @c {
  groups support
  effects read_only

  input repo: string
  input limit: integer(min: 1, max: 100)? = @i

  step found = github.list_issues(repo: repo, ...(if limit == null then {} else { per_page: limit }))
  let kept = [i for i in found.items if "@n" in i.labels or not (i.state == "closed")]

  output handle<digest> = [
    { number: i.number, title: i.title, age: @i, owner: i.assignee?.login, last_word: null } for i in kept
  ] {
    summary "@t: ${count(kept)} of ${found.total}"
    expires 7d
  }
}
"""

START = """\
/// @T.
/// @T; nothing is changed that cannot be taken back.
chain @c {
  title "@T"
  version "1.@i.0"
  groups support
  stages report, act
  use_when "somebody asks for it @t"
  not_when "a single @n is meant"
  owner "support team"
  empty "there was nothing to do"
  fails unavailable "the tracker is down"
  example "@t" (repo: "acme/@n", key: "A-@i")
  effects open_world
  budget (calls: 600, bytes: 5MB, time: 2m)

  /// Repository as owner/name.
  input repo: string(pattern: "^[\\\\w.-]+/[\\\\w.-]+$")
  input key: string
  input number: integer(min: 1) = @i
  /// Nothing is posted when it is left out.
  input channel: string?
  input dry_run: boolean = false
  input names: list<string>(max_items: 50) = []

  require number > 0 and key != "" else "There is no @n ${number} of ${key}."
"""

REFUND = """\
/// @T, and the money goes back.
chain @c {
  version "2.@i.0"
  scopes "refunds:write"
  budget (calls: 40, cost: 5.0)

  input order_id: string
  input amount: integer(min: 1)
  input note: string?

  step order = shop.get_order(order_id: order_id)
  require amount <= order.total - order.refunded else "Only ${order.total - order.refunded} can be refunded."

  step sure = approve "Refund ${amount} ${order.currency} for ${order_id}?" {
    when amount > @i00
    by "managers"
    show { order: order, note: note }
    timeout 24h
    on reject fail "Rejected: ${order_id}."
  }
  step why = ask "Why, @t?" for { reason: "damaged" | "late", text: string?, urgent: boolean } {
    when note == null
    timeout @im
    on decline use { reason: "late", text: null, urgent: false }
    on expiry skip
  }
  // Nothing is paid twice: the key of a repeated call is the same.
  step paid = pay.refund(order_id: order_id, amount: amount) {
    after sure
    when sure?.approved ?? true
    key idempotency_key
    retry 3 (wait: 2s)
    receipt paid.id
    reconcile pay.find_refund(order_id: order_id, key: paid.key)
    verify pay.get_refund(id: paid.id) expect result.status in ["pending", "done"]
    undo pay.cancel_refund(id: paid.id, reason: "@t: ${order.id}")
  }

  output { refund: string?, by: string?, reason: string? } = {
    refund: paid?.id,
    by: sure?.by,
    reason: why?.reason ?? note,
  } {
    summary "@T: ${paid?.status ?? "nothing"}."
  }

  adapter "1.x" {
    input order: string
    input cents: integer(min: 1) = @i
    call (order_id: trim(order), amount: cents)
    output string? = result.refund
  }
}

test "@t" {
  at "2026-0@m-01T08:00:00Z"
  given pay.refund fails "tool_error"
  given sure answers true
  given why answers { reason: "damaged", urgent: false }
  call @c(order_id: "A-@i", amount: @i)
  expect fault?.class == "tool_error" or output != null
}
"""
