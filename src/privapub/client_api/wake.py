"""The job `push`: a program is woken, by way of its push service, which cannot read what it is told.

It is told what an alert needs, and no token: what programs were given is known here by its hash alone.
"""

from dataclasses import dataclass
from typing import Any

import msgspec

from privapub import clock, scope
from privapub.client_api import push_words, show_accounts
from privapub.client_api.shapes.account import Account
from privapub.client_api.shapes.notification import TYPES
from privapub.database.transaction import Transaction
from privapub.federation.delivery.answer import seconds_to_wait
from privapub.jobs.job import Done, GiveUp, Job, Outcome, Retry
from privapub.markup.characters import contained
from privapub.markup.clean import plain
from privapub.markup.text import shortened, text_of
from privapub.notifications import push, read, web_push
from privapub.notifications.push import Subscription
from privapub.outbound.answers import FetchProblem
from privapub.outbound.client import Headers
from privapub.personas import read as personas
from privapub.server import Server

ATTEMPTS = 8
TTL = 48 * 3600  # seconds for which a push service keeps what it cannot bring
_BODY, _NAME, _URL = 140, 60, 1000  # characters
_GONE = frozenset({404, 410})


@dataclass(frozen=True)
class Gone:
    """Its push service knows the program no more."""

    subscription_id: int


async def fetch(server: Server, job: Job) -> Gone | Outcome:
    """Tell it, unless it or the notification is gone meanwhile."""
    async with server.database.read() as tx:
        to = await push.by_id(tx, job.args["subscription"])
        private = await push.key(tx)
        told = None if to is None else await _message(tx, server, to, job.args["notification"])
    if to is None or private is None or told is None:
        return Done()
    parcel = web_push.encrypt(msgspec.json.encode(told), to.p256dh, to.auth, standard=to.standard)
    known = web_push.authorization(private, to.endpoint, server.base_url, clock.now(), standard=to.standard)
    headers = _together({**parcel.headers, "TTL": str(TTL), "Urgency": "normal"}, known)

    async def sign(_method: str, _url: str, _headers: Headers, _body: bytes) -> Headers:
        return tuple(headers.items())

    try:
        with scope.purpose("push"):
            answer = await server.door.post(
                to.endpoint, parcel.body, content_type="application/octet-stream", sign=sign
            )
    except FetchProblem as problem:
        if problem.reason in ("disallowed", "private-address"):
            return GiveUp(problem.reason)
        return Retry(None, problem.reason, heard=False)
    return _outcome(answer.status, answer.headers.get("retry-after"), to)


async def write(tx: Transaction, _job: Job, gone: Gone, _now: float) -> None:
    """It is asked no more."""
    await push.gone(tx, gone.subscription_id)


def _outcome(status: int, retry_after: str | None, to: Subscription) -> Gone | Outcome:
    why = f"answered {status}"
    if status in _GONE:
        return Gone(to.id)
    if status < 300:
        return Done(heard=True)
    if status in (429, 503):
        return Retry(seconds_to_wait(retry_after, clock.now()), why, heard=True)
    return Retry(None, why, heard=False) if status >= 500 else GiveUp(why, heard=True)


async def _message(tx: Transaction, server: Server, to: Subscription, notification_id: int) -> dict[str, Any] | None:
    """What there is to tell; None where it is not to be told any more."""
    found = await read.by_id(tx, to.persona_id, notification_id, clock.now())
    if found is None or found.kind not in TYPES or found.filtered or found.hidden:
        return None
    who: Account | None = (await show_accounts.by_ids(tx, server, [found.actor_id])).get(found.actor_id)
    if who is None:
        return None
    persona = await personas.known(tx, to.persona_id)
    language = push_words.language_of(persona.actor.language)
    post = found.post
    words = "" if post is None else plain(post.summary) or text_of(post.content)
    return {
        "notification_id": str(found.id),
        "notification_type": TYPES[found.kind],
        "title": push_words.title(TYPES[found.kind], shortened(who.display_name or who.username, _NAME), language),
        "body": _cut(words if post is not None else text_of(who.note)),
        "icon": who.avatar_static if len(who.avatar_static) <= _URL else "",
        "preferred_locale": language,
    }


def _cut(text: str) -> str:
    """As much of a text as an alert shows, its lines kept."""
    text = text.strip()
    return text if len(text) <= _BODY else contained(f"{text[: _BODY - 1].rstrip()}…")


def _together(ours: dict[str, str], known: Any) -> dict[str, str]:
    """Both name a key in the header `Crypto-Key` of the draft."""
    return {**ours, **{name: f"{ours[name]};{value}" if name in ours else value for name, value in known.items()}}
