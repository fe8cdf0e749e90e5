"""The small decisions of the door, one by one."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privapub.errors import Unavailable
from privapub.outbound import remembered as memory
from privapub.outbound import target
from privapub.outbound.answers import FAILED, REFUSED, FetchProblem, bare_type, is_one_of
from privapub.outbound.gate import OpenGate
from privapub.outbound.remembered import Key, Remembered, how_long


def key(name: str) -> Key:
    return memory.key(f"https://{name}/", "*/*", signed=False)


def test_how_long_a_failure_is_believed() -> None:
    hour = 3600.0
    assert how_long("404") == 24 * hour
    assert how_long("410") == 30 * 24 * hour
    assert how_long("timeout") == how_long("401") == how_long("403") == hour
    assert how_long("500") == how_long("503") == how_long("429") == how_long("302") == 600.0
    assert how_long("406") == how_long("451") == hour
    assert how_long("disallowed") == how_long("remembered") == how_long("budget") == 0.0
    assert all(how_long(reason) > 0 for reason in (REFUSED | FAILED) - {"disallowed", "remembered", "budget"})


def test_what_is_remembered_ends_by_itself_or_by_success() -> None:
    remembered = Remembered()
    remembered.add(key("a.test"), ["a.test"], "404", 0.0)
    assert remembered.holds(key("a.test"), 86_399.0)
    assert not remembered.holds(memory.key("https://a.test/", "text/html", signed=False), 1.0)
    assert not remembered.holds(memory.key("https://a.test/", "*/*", signed=True), 1.0)
    assert not remembered.holds(key("a.test"), 86_400.0)
    assert len(remembered) == 0
    remembered.add(key("a.test"), ["a.test"], "500", 0.0)
    remembered.drop(key("a.test"))
    assert not remembered.holds(key("a.test"), 1.0)
    remembered.add(key("a.test"), ["a.test"], "disallowed", 0.0)
    assert len(remembered) == 0


def test_a_host_is_forgotten_whole_and_alone() -> None:
    remembered = Remembered()
    for n in range(3):
        remembered.add(key(f"a.test/{n}"), ["a.test"], "404", 0.0)
    remembered.add(key("b.test"), ["b.test"], "404", 0.0)
    remembered.forget("a.test")
    remembered.forget("c.test")
    assert len(remembered) == 1
    assert remembered.holds(key("b.test"), 1.0)


def test_a_failure_behind_a_redirect_is_forgotten_with_either_host() -> None:
    for spoke in "ab":
        remembered = Remembered()
        remembered.add(key("a.test"), ["a.test", "b.test"], "404", 0.0)
        remembered.forget(f"{spoke}.test")
        assert len(remembered) == 0
        assert remembered._by_host == {}


def test_what_is_over_is_dropped_though_nobody_asks_again() -> None:
    remembered = Remembered()
    for n in range(5):
        remembered.add(key(f"{n}.test"), [f"{n}.test"], "500", 0.0)
    remembered.add(key("a.test"), ["a.test"], "404", 1_200.0)
    assert len(remembered) == 1
    assert set(remembered._by_host) == {"a.test"}


def test_a_long_url_takes_no_more_memory_and_cannot_be_read() -> None:
    assert len(key("a.test/" + "x" * 4000)) == len(key("a.test")) == 16


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from(["404", "500", "remembered"]), st.booleans())))
def test_memory_is_bounded_and_in_order(steps: list[tuple[int, str, bool]]) -> None:
    remembered = Remembered(most=4)
    for now, (n, reason, forget) in enumerate(steps):
        if forget:
            remembered.forget(f"{n}.test")
        else:
            remembered.add(key(f"{n}.test"), [f"{n}.test"], reason, float(now))
        assert len(remembered) <= 4
        assert sum(len(keys) for keys in remembered._by_host.values()) == len(remembered)
        assert all(remembered._by_host.values())


def test_the_least_recently_met_goes_first() -> None:
    remembered = Remembered(most=2)
    remembered.add(key("a.test"), ["a.test"], "404", 0.0)
    remembered.add(key("b.test"), ["b.test"], "404", 0.0)
    assert remembered.holds(key("a.test"), 1.0)
    remembered.add(key("c.test"), ["c.test"], "404", 2.0)
    assert [remembered.holds(key(f"{n}.test"), 3.0) for n in "abc"] == [True, False, True]


@pytest.mark.parametrize(
    ("url", "host", "authority", "sent"),
    [
        ("https://peer.test", "peer.test", "peer.test", "/"),
        ("https://PEER.test:8443/A", "peer.test", "peer.test:8443", "/A"),
        ("https://peer.test:443/a?", "peer.test", "peer.test", "/a"),
        ("https://peer.test./a", "peer.test", "peer.test", "/a"),
        ("https://[2606:4700::1]:8443/a", "2606:4700::1", "[2606:4700::1]:8443", "/a"),
        ("https://bücher.test/ü", "xn--bcher-kva.test", "xn--bcher-kva.test", "/%C3%BC"),
        ("https://peer.test/%2e%2E/../x", "peer.test", "peer.test", "/%2e%2E/../x"),
    ],
)
def test_a_url_is_taken_apart(url: str, host: str, authority: str, sent: str) -> None:
    where = target.read(url)
    assert (where.url, where.host, where.authority) == (url, host, authority)
    assert where.wire.raw_path_qs.rstrip("?") == sent


@settings(deadline=None)
@given(st.text(max_size=60) | st.text(max_size=40).map("https://{}".format))
def test_no_text_breaks_the_reading_of_a_url(url: str) -> None:
    try:
        where = target.read(url)
    except ValueError:
        return
    assert where.scheme in ("http", "https")
    assert where.host
    assert where.host == where.host.lower()
    assert where.wire.user is None


@pytest.mark.parametrize(
    ("base", "location", "lands"),
    [
        ("https://a.test/x/y?z", "w", "https://a.test/x/w"),
        ("https://a.test/x/y?z", "/w?v#u", "https://a.test/w?v"),
        ("https://a.test/x/y", "//b.test/w", "https://b.test/w"),
        ("https://a.test/x/y", "https://b.test/./w/../v", "https://b.test/./w/../v"),
        ("https://a.test/x/y", " https://b.test/ ", "https://b.test/"),
        ("https://a.test/x?y", "?z", "https://a.test/x?z"),
        ("http://a.test/", "https://a.test/", "https://a.test/"),
    ],
)
def test_where_a_redirect_leads(base: str, location: str, lands: str) -> None:
    assert target.next_hop(target.read(base), location, same_host=False).url == lands


def test_what_a_type_is() -> None:
    assert bare_type(" Application/JSON ; charset=utf-8") == "application/json"
    assert is_one_of("text/html; charset=utf-8", {"text/html", "image/png"})
    assert not is_one_of("text/html", {"image/png"})
    assert not is_one_of("", {"image/png"})
    assert is_one_of("anything/else", set())


@settings(deadline=None)
@given(st.text(max_size=80), st.text(max_size=30))
def test_no_header_breaks_the_reading_of_a_type(kind: str, rest: str) -> None:
    assert not is_one_of(kind + ";profile*0*=" + rest, {'a/b; profile="https://a.example/"'})
    assert is_one_of("a/b;" + rest, {"a/b"})


def test_a_problem_is_a_sentence_and_an_outcome() -> None:
    problem = FetchProblem("peer.test", "503", status=503, retry_after="9")
    assert isinstance(problem, Unavailable)
    assert str(problem) == "peer.test could not be asked: 503."
    assert (problem.outcome, problem.status, problem.retry_after) == ("failed", 503, "9")
    assert {FetchProblem("a", reason).outcome for reason in REFUSED} == {"refused"}
    assert {FetchProblem("a", reason).outcome for reason in FAILED} == {"failed"}


async def test_an_open_gate_lets_everybody_through() -> None:
    assert await OpenGate().refuses("peer.test") is None
