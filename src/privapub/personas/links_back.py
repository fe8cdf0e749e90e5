"""The links of a profile that lead back to it: a page says `rel="me"` of it (microformats.org), and so is the same's.

A field whose value is one https link is checked by a job after each edit, and never because somebody reads. The page is
asked for as any other: by the server's own name, without cookies, without a Referer, signed by nobody; nothing tells
whose profile it is about. What was found stands beside the field until the field has another value.
"""

from collections.abc import Mapping
from html import unescape

from sqlalchemy import update

from privapub import clock, scope
from privapub.actors.tables import actor
from privapub.database.transaction import Transaction
from privapub.jobs.enqueue import put
from privapub.jobs.job import Done, Job, NewJob, Outcome, Retry
from privapub.markup.page_tags import page_tags
from privapub.outbound import target
from privapub.outbound.answers import IN_A_MOMENT, PAGE_TYPES, FetchProblem
from privapub.personas.read import Persona, alone, by_id, typed_fields
from privapub.server import Server

PROFILE_LINK = "profile_link"  # the kind of the job
ATTEMPTS = 3
_ACCEPT = "text/html, application/xhtml+xml;q=0.9"
_LONGEST = 4096  # of an attribute's value
_DAY = 86400


def link_of(value: str) -> str | None:
    """The link that the value of a field, as it was typed, is and nothing besides; https alone (pure)."""
    try:
        asked = target.read(value.strip())
    except ValueError:
        return None
    return asked.url if asked.scheme == "https" else None


def leads_back(page: bytes, profiles: frozenset[str]) -> bool:
    """Whether a page has a link with `rel="me"` to one of these addresses, which are in lower case (pure)."""
    return any(
        name in ("a", "link")
        and "me" in attributes.get("rel", "")[:_LONGEST].lower().split()
        and unescape(attributes.get("href", "")[:_LONGEST]).strip().lower() in profiles
        for name, attributes in page_tags(page)
    )


async def plan(tx: Transaction, persona_id: int, now: float) -> None:
    """Queue the checks of this persona's links; those that wait already are not queued again."""
    me = await by_id(tx, persona_id)
    if me is None or me.closed_at is not None:
        return
    jobs = [
        NewJob(
            PROFILE_LINK,
            f"host:{target.host_of(url)}",
            {"persona": persona_id, "url": url},
            run_at=now,
            dedupe_key=f"{PROFILE_LINK} {persona_id} {url}",
            unique_while_waiting=True,
        )
        for url in sorted(_links(me))
    ]
    await put(tx, jobs)


async def fetch(server: Server, job: Job) -> bool | Outcome:
    """Whether the page leads back. A persona that has that link no more asks nothing of anybody.

    Where it cannot be known today, all stays as it was.
    """
    url: str = job.args["url"]
    async with server.database.read() as tx:
        me = await by_id(tx, job.args["persona"])
    if me is None or url not in _links(me) or target.host_of(url) == target.host_of(server.base_url):
        return Done()
    try:
        with scope.purpose("profile-link"):
            # Whoever has mended the page since it failed says so by editing the profile.
            answer = await server.door.get(url, accept=_ACCEPT, content_types=PAGE_TYPES, page=bytes, fresh=True)
    except FetchProblem as problem:
        if problem.reason in IN_A_MOMENT:
            return Retry(None, problem.reason) if job.attempt < ATTEMPTS else Done()
        return False
    return leads_back(answer.body, frozenset(each.lower() for each in (me.actor.uri, me.actor.url) if each))


async def write(tx: Transaction, job: Job, leads: bool, now: float) -> None:
    """Keep it beside the field, with the day: two profiles that were edited together do not show it by the moment."""
    await alone(tx, job.args["persona"])
    me = await by_id(tx, job.args["persona"])
    if me is None:
        return
    day = clock.iso(now // _DAY * _DAY)
    fields = [
        _marked(each, day if leads else None) if link_of(typed["value"]) == job.args["url"] else dict(each)
        for each, typed in zip(me.actor.fields, typed_fields(me), strict=True)
    ]
    await tx.execute(update(actor).where(actor.c.id == me.id).values(fields=fields))


def _links(me: Persona) -> set[str]:
    return {url for each in typed_fields(me) if (url := link_of(each["value"])) is not None}


def _marked(field: Mapping[str, str], day: str | None) -> dict[str, str]:
    plain = {name: value for name, value in field.items() if name != "verified_at"}
    return plain if day is None else {**plain, "verified_at": day}
