"""Which rule decides about a host, against a plain reading of the words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privapub.errors import InvalidInput
from privapub.moderation.domain_rules import Decision, Rule, Rules, Severity, domains_of, spelled_domain
from privapub.outbound import target
from privapub.outbound.host import spelled

labels = st.sampled_from(["a", "b", "example", "org"])
hosts = st.lists(labels, min_size=1, max_size=4).map(".".join)
domains = st.tuples(st.sampled_from(["", "*."]), hosts).map("".join)
severities = st.sampled_from(["allow", "none", "limit", "block"])
books = st.dictionaries(
    domains, st.builds(Rule, st.just(""), severities, st.booleans(), st.booleans()), max_size=8
).map(lambda found: [Rule(domain, one.severity, one.reject_media, one.reject_reports) for domain, one in found.items()])


def plainly(rules: list[Rule], host: str) -> Rule | None:
    """The rule with the longest domain that covers a host; with one as long, that for the host itself or all below."""
    about = [rule for rule in rules if rule.covers(host)]
    return max(about, key=lambda rule: (len(rule.top.split(".")), rule.domain.startswith("*.")), default=None)


@given(books, hosts, st.booleans())
def test_the_most_precise_rule_decides_alone(rules: list[Rule], host: str, only_allowed: bool) -> None:
    decision = Rules(rules, only_allowed=only_allowed).decide(host)
    rule = plainly(rules, host)
    severity = "" if rule is None else rule.severity
    assert decision.host == host
    if only_allowed and severity not in ("allow", "block"):
        assert (decision.standing, decision.takes_media, decision.takes_reports) == ("blocked", False, False)
        return
    assert decision.rule == rule
    assert decision.standing == {"limit": "limited", "block": "blocked"}.get(severity, "open")
    rejects = (rule is not None and rule.reject_media, rule is not None and rule.reject_reports)
    for takes, rejected in zip((decision.takes_media, decision.takes_reports), rejects, strict=True):
        assert takes is (severity != "block" and not rejected)


@given(books, hosts)
def test_the_short_questions_say_what_the_long_one_says(rules: list[Rule], host: str) -> None:
    book = Rules(rules)
    decision = book.decide(host)
    assert (book.refuses(host) is not None) is (decision.standing == "blocked")
    assert book.takes_media(host) is decision.takes_media
    assert book.takes_reports(host) is decision.takes_reports
    assert book.standing([host]) == decision.standing


def test_the_worst_of_several_hosts_counts() -> None:
    book = Rules([Rule("bad.test", "block"), Rule("loud.test", "limit")])
    assert book.standing(["fine.test", "loud.test"]) == "limited"
    assert book.standing(["loud.test", "bad.test", "fine.test"]) == "blocked"
    assert book.standing([]) == "open"


def test_a_rule_is_said_with_its_reason() -> None:
    book = Rules([Rule("bad.test", "block"), Rule("*.loud.test", "limit")], ours={"sut.test"})
    assert book.refuses("bad.test") == "it is blocked by the rule for bad.test"
    assert book.decide("a.loud.test").why == (
        "it is limited by the rule for *.loud.test, which is about all below loud.test"
    )
    assert Rules([Rule("x", "allow")]).decide("x").why == "it is allowed by the rule for x"
    none = Rules([Rule("x", "none", reject_media=True)]).decide("x")
    assert none.why == "nothing is done about it but what the rule rejects by the rule for x"
    assert Rules(only_allowed=True).refuses("x") == (
        "only hosts that are allowed are spoken with, and no rule allows it"
    )


@pytest.mark.parametrize("only_allowed", [False, True])
def test_no_rule_is_about_this_server(only_allowed: bool) -> None:
    book = Rules([Rule("test", "block"), Rule("sut.test", "block")], only_allowed=only_allowed, ours={"sut.test"})
    ours = Decision("sut.test", "open", None, "it is this server itself", takes_media=True, takes_reports=True)
    assert book.decide("sut.test") == ours
    assert book.refuses("a.sut.test") is not None


def test_a_host_without_a_rule_is_open() -> None:
    free = Decision("x.test", "open", None, "no rule is about it", takes_media=True, takes_reports=True)
    assert Rules([Rule("y.test", "block")]).decide("x.test") == free


@pytest.mark.parametrize("severity", ["none", "limit", "block", None])
def test_where_only_the_allowed_may_no_other_word_lets_anybody_in(severity: Severity | None) -> None:
    rules = [Rule("in.test", "allow"), *([] if severity is None else [Rule("out.test", severity)])]
    book = Rules(rules, only_allowed=True)
    out = book.decide("out.test")
    assert (out.host, out.standing, out.takes_media, out.takes_reports) == ("out.test", "blocked", False, False)
    assert book.decide("in.test").standing == "open"


def test_one_look_for_each_label() -> None:
    assert domains_of("a.b.org") == ["a.b.org", "*.b.org", "b.org", "*.org", "org"]
    assert domains_of("org") == ["org"]


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("example.org", "example.org"),
        (" EXAMPLE.ORG. ", "example.org"),
        ("example.org:8443", "example.org"),
        ("*.Example.org", "*.example.org"),
        ("*.a1.example", "*.a1.example"),
        ("Bücher.example", "xn--bcher-kva.example"),
        ("faß.example", "xn--fa-hia.example"),
        ("127.1", "127.0.0.1"),
        ("0300.0.0x7107", "192.0.113.7"),
        ("[::1]:8000", "::1"),
        ("::1", "::1"),
        ("2001:DB8:0::1", "2001:db8::1"),
        ("[::ffff:192.0.2.1]", "192.0.2.1"),
        ("localhost", "localhost"),
    ],
)
def test_a_domain_has_one_spelling(typed: str, kept: str) -> None:
    assert spelled_domain(typed) == kept


@pytest.mark.parametrize(
    "typed",
    ["", ".", "*", "*.", "*.*.org", "a.*.org", "https://example.org", "example.org/x", "a@example.org", "a b.org",
     "a..org", ".org", "*.127.0.0.1", "*.1.2.3.4", "*.[::1]", "example.org:0", "example.org:x", "1.2.3.4.5",
     "256.0.0.1", "a" * 300, "*.::1", "*.::a", "::g", "::1:x", "\u00b4", "a^b", "a<b"],
)  # fmt: skip
def test_what_is_no_domain_is_refused(typed: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        spelled_domain(typed)
    assert (str(refused.value), refused.value.hint) == (
        f"{typed!r} is no domain.",
        "Write it as in example.org or *.example.org.",
    )


@pytest.mark.parametrize(
    "host", ["", "...", "1.2.3.256", "4294967296", "08.1", "0xg", "1.2.3.4.5", "a%b", "::g", "a" * 254]
)
def test_what_is_no_host_is_refused(host: str) -> None:
    if host == "0xg":  # a name like any other
        assert spelled(host) == host
        return
    with pytest.raises(ValueError):  # noqa: PT011 - whatever is said of it
        spelled(host)


@given(st.from_regex(r"[a-z0-9-]{1,8}(\.[a-z]{1,5}){0,3}\.?", fullmatch=True))
def test_a_spelling_is_its_own(host: str) -> None:
    try:
        once = spelled(host)
    except ValueError:
        return
    assert spelled(once) == once
    assert target.host_of(f"https://{host.upper()}:8443/x") == once
