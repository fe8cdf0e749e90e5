"""Put an activity on its way: one rendering, one row for each inbox, one bulk insert of jobs."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import delete, insert, select

from privapub import identifiers
from privapub.database.transaction import Transaction
from privapub.federation.delivery import sent
from privapub.federation.delivery.inboxes import Target
from privapub.federation.delivery.proven import proven
from privapub.federation.delivery.synchronization import is_for_followers
from privapub.federation.delivery.tables import rendering
from privapub.federation.documents.encode import encode
from privapub.federation.fetching.origin import origin
from privapub.federation.signatures.digest import sha256_base64
from privapub.jobs.enqueue import put
from privapub.jobs.hosts import HOST
from privapub.jobs.job import Job, NewJob, Part
from privapub.jobs.settle import TAKEN_BACK

DELIVERY = "delivery"
HOLD = 30 * 86400.0  # a delivery that has waited for so long is given up
# Its job is kept for seven days more: then nobody asks for the bytes.
RENDERING_KEPT = HOLD + 10 * 86400.0


def lane_of(inbox: str) -> str:
    """The lane of deliveries to the host of an inbox: `host:example.org`, with the port where it is no usual one."""
    return f"{HOST}{origin(inbox)}"


async def deliver(
    tx: Transaction,
    actor_id: int,
    activity: dict[str, Any],
    targets: Sequence[Target],
    *,
    about: str,
    post_id: int | None = None,
    part: Part | None = None,
    former_key: str | None = None,
    now: float,
) -> None:
    """Queue an activity of a local actor for these inboxes, once for each activity id and inbox.

    `about` is the uri of what the activity is about: activities about one thing keep their order at each inbox. The
    `last` of them (a Delete, an Undo) takes back what was not sent yet, and goes nowhere where the `first` never went.
    With a `post_id`, who gets it is noted with the post. It is signed when it is sent, with the key that the actor has
    by then; `former_key`, a PEM, signs it under the same id for who refuses that one. What is for everybody carries a
    proof.
    """
    if not targets:
        return
    body = encode(await proven(tx, actor_id, activity, now))
    name = await _rendered(tx, actor_id, body, now, former_key, for_followers=is_for_followers(activity))
    if post_id is not None:
        await sent.note_waiting(tx, post_id, targets, now)
    jobs = [job(name, activity["id"], target, about, post_id, part) for target in targets]
    await put(tx, jobs, unsent=_note_unsent)


async def send_on(
    tx: Transaction,
    actor_id: int,
    body: bytes,
    targets: Sequence[Target],
    *,
    activity_id: str,
    about: str,
    post_id: int,
    now: float,
) -> None:
    """Queue what somebody elsewhere did, byte for byte, for these inboxes (ActivityPub, section 7.1.2).

    The request is signed by a local actor; of what is in it the body itself must convince. Once for each activity id,
    content and inbox; who gets it is noted with the post that it is about (`about` is the uri of that).
    """
    if not targets:
        return
    digest = sha256_base64(body)
    name = await _rendered(tx, actor_id, body, now)
    await sent.note_waiting(tx, post_id, targets, now)
    # Not under its own id: some have one id for all edits of a post.
    await put(tx, [job(name, f"{activity_id} {digest}", target, about, post_id) for target in targets])


async def _rendered(
    tx: Transaction,
    actor_id: int,
    body: bytes,
    now: float,
    former_key: str | None = None,
    *,
    for_followers: bool = False,
) -> str:
    name = identifiers.token()
    await tx.execute(
        insert(rendering).values(
            id=name,
            actor_id=actor_id,
            body=body,
            digest=sha256_base64(body),
            former_key=former_key,
            for_followers=for_followers,
            created_at=now,
        )
    )
    return name


async def _note_unsent(tx: Transaction, jobs: Sequence[Job], now: float) -> None:
    await sent.note_outcomes(tx, (sent.outcome_row(job, sent.FAILED, TAKEN_BACK) for job in jobs), now)


def job(
    rendering_id: str, activity_id: str, target: Target, about: str, post_id: int | None, part: Part | None = None
) -> NewJob:
    """The job that brings one rendering to one inbox."""
    return NewJob(
        kind=DELIVERY,
        lane=lane_of(target.inbox),
        args={
            "rendering": rendering_id,
            "activity": activity_id,
            "inbox": target.inbox,
            "recipient": target.recipient,
            "about": about,
            "post": post_id,
        },
        dedupe_key=f"{activity_id} {target.inbox}",
        ordering_key=f"{about} {target.inbox}",
        part=part,
    )


async def prune(tx: Transaction, now: float, limit: int = 1000) -> int:
    """Drop renderings that no job can name any more; the number dropped."""
    old = select(rendering.c.id).where(rendering.c.created_at < now - RENDERING_KEPT).limit(limit)
    return (await tx.execute(delete(rendering).where(rendering.c.id.in_(old)))).rowcount
