"""In which lane a delivery waits: one for each server, however its inboxes are spelled."""

import pytest

from privapub.federation.delivery.deliver import job, lane_of
from privapub.federation.delivery.inboxes import Target
from privapub.federation.fetching.origin import origin
from privapub.jobs.hosts import HOST


@pytest.mark.parametrize(
    ("inbox", "lane"),
    [
        ("https://peer.test/inbox", "host:peer.test"),
        ("https://PEER.test/users/carol/inbox", "host:peer.test"),
        ("https://peer.test:443/inbox", "host:peer.test"),
        ("https://peer.test./inbox", "host:peer.test"),
        ("https://peer.test:8443/inbox", "host:peer.test:8443"),
        ("http://127.0.0.1:3000/inbox", "host:127.0.0.1:3000"),
        ("https://[2001:db8::1]:8443/inbox", "host:[2001:db8::1]:8443"),
        # As its other ids spell it, so that what is learnt of a host when it is asked counts when it is sent to.
        ("https://xn--mnchen-3ya.test/inbox", "host:xn--mnchen-3ya.test"),
    ],
)
def test_a_lane_is_a_server(inbox: str, lane: str) -> None:
    assert lane_of(inbox) == lane
    assert lane_of(inbox) == HOST + origin(inbox)


def test_a_delivery_is_known_by_its_activity_and_inbox_and_ordered_by_what_it_is_about() -> None:
    first, second = (
        job("bytes", activity, Target("https://peer.test/inbox", "https://peer.test/u/carol"), "https://sut.test/p", 7)
        for activity in ("https://sut.test/activities/1", "https://sut.test/activities/2")
    )
    assert first.dedupe_key != second.dedupe_key
    assert first.ordering_key == second.ordering_key
    other = job(
        "bytes", "https://sut.test/activities/1", Target("https://peer.test/u/dave/inbox"), "https://sut.test/p", 7
    )
    assert other.lane == first.lane
    assert other.dedupe_key != first.dedupe_key
    assert other.ordering_key != first.ordering_key
    assert first.args["recipient"] == "https://peer.test/u/carol"
    assert other.args["recipient"] == ""
