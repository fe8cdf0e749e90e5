"""Whatever is asked of posts, timelines, polls and files: nonsense is refused, and never a fault of the server."""

from collections.abc import Iterator
from typing import Any

import pytest

from privapub.client_api import (
    emojis,
    media,
    oembed,
    polls,
    quoting,
    refreshes,
    scheduled_statuses,
    status_actions,
    statuses,
    timelines,
)
from privapub.client_api.endpoint import Endpoint
from privapub.database.connect import Database
from program import town

GROUPS = (
    emojis, media, oembed, polls, quoting, refreshes, scheduled_statuses, status_actions, statuses, timelines,
)  # fmt: skip
ENDPOINTS = [each for group in GROUPS for each in group.ENDPOINTS]
HUGE = "9" * 40
QUERIES = (
    "", "limit=-5&max_id=x", f"min_id={HUGE}&limit={HUGE}",
    "limit=1e9&since_id=-1", "id[]=x&id[][a]=1",
    "id[a][b][c][d]=1",
    "any[]=%00&all[]=&none[]=%ff&local=7&remote=x&only_media=maybe", "url=%00&maxwidth=-1&maxheight=x",
)  # fmt: skip
BODIES: tuple[Any, ...] = (
    {},
    {"status": ["a"], "visibility": {"a": 1}, "poll": "x", "media_ids": {"a": "b"}, "scheduled_at": []},
    {"status": 7, "language": 3, "poll": {"options": {"0": "a", "1": ["b"]}, "expires_in": "soon"}},
    {"status": "x", "poll": {"options": ["a", "b"], "expires_in": HUGE}, "in_reply_to_id": HUGE},
    {"status": "x", "media_ids": [HUGE, None, {}], "media_attributes": [1, {"id": {}}, {"id": "1", "focus": "nan,1"}]},
    {"status": "x", "scheduled_at": "9999-12-31T23:59:59Z", "in_reply_to_id": "-1"},
    {"status": "\x00\ud7ff" * 10, "spoiler_text": "\x00", "visibility": "private"},
    {"choices": [HUGE, -1, None, "x"], "quote_approval_policy": 7, "focus": "1,2,3", "description": ["x"]},
)


def paths(of: Endpoint) -> Iterator[str]:
    for number in ("x", "0", "-1", HUGE, "context-", "%00"):
        path = of.path
        for name in ("{id}", "{quoting_status_id}", "{list_id}", "{hashtag}"):
            path = path.replace(name, number)
        yield path
        if path == of.path:
            return


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda each: f"{each.method} {each.path}")
async def test_nonsense_is_no_fault_of_the_server(database: Database, endpoint: Endpoint) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        for path in paths(endpoint):
            for query in QUERIES:
                answer = await app.ask(endpoint.method, f"{path}?{query}", None if endpoint.method == "GET" else {})
                assert answer.status < 500, (path, query, answer.body)
            for body in BODIES if endpoint.method != "GET" else ():
                answer = await app.ask(endpoint.method, path, body)
                assert answer.status < 500, (path, body, answer.body)
            if endpoint.who == "user":
                assert (await sut.stranger.ask(endpoint.method, path)).status == 401
