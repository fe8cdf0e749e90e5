"""One try of one delivery: sign afresh, post, judge the answer. No transaction is open meanwhile."""

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import select

from privapub import clock, scope
from privapub.actors.read import HERE
from privapub.actors.remote import inbox_gone, mark_gone
from privapub.actors.tables import actor
from privapub.database.transaction import Transaction
from privapub.errors import PrivaPubError
from privapub.federation.delivery import sent
from privapub.federation.delivery.answer import Verdict, judge
from privapub.federation.delivery.deliver import job
from privapub.federation.delivery.inboxes import Target
from privapub.federation.delivery.parcels import Parcel, Parcels, signer
from privapub.federation.delivery.reason import INBOX_MOVED, NOTHING_TO_SEND, reason
from privapub.federation.fetching import scheme as schemes
from privapub.federation.fetching.actor import fetch_actor
from privapub.federation.fetching.origin import origin
from privapub.federation.signatures.claim import Scheme
from privapub.jobs.enqueue import followed_by_last, put
from privapub.jobs.hosts import HOST
from privapub.jobs.job import Done, GiveUp, Job, Outcome, Retry
from privapub.jobs.settle import TAKEN_BACK
from privapub.outbound.answers import ACTIVITY_JSON, FetchProblem
from privapub.server import Server
from privapub.telemetry.departures import GIVEN_UP, LATER, TAKEN, DepartureRecorder


async def send(server: Server, parcels: Parcels, job: Job) -> Outcome:
    """Bring one rendering to one inbox; the outcome says what became of it."""
    parcel = await parcels.of(job.args["rendering"], job.args["inbox"])
    if parcel is None:
        return GiveUp(NOTHING_TO_SEND)
    verdict = await _post(server, parcel, parcel.scheme)
    if verdict.kind == "knock" and parcel.former is not None:
        verdict = await _post(server, replace(parcel, key=parcel.former), parcel.scheme)
    if verdict.kind == "knock":
        verdict = await _knock(server, parcel, verdict)
    if verdict.kind == "moved":
        return await _follow_the_actor(server, job, parcel, verdict)
    if verdict.kind == "gone":
        await _ask_whether_gone(server, job)
    return _outcome(verdict)


def _outcome(verdict: Verdict) -> Outcome:
    match verdict.kind:
        case "taken":
            return Done(heard=True)
        case "busy":
            return Retry(verdict.after, verdict.why, spends_attempt=False, whole_lane=True, heard=verdict.heard)
        case "failed":
            return Retry(None, verdict.why, heard=verdict.heard)
        case _:
            return GiveUp(verdict.why, heard=verdict.heard)


async def record(
    departures: DepartureRecorder, tx: Transaction, ended: Sequence[tuple[Job, Outcome]], now: float
) -> None:
    """Keep the `sent` rows of posts up to date, in the transaction that writes the outcomes, and count these."""
    await sent.note_outcomes(tx, (_row(job, outcome) for job, outcome in ended), now)

    def count() -> None:
        for ours, outcome in ended:
            departures.note(ours.lane.removeprefix(HOST), *_departed(outcome), now)

    tx.after_commit(count)


def _departed(outcome: Outcome) -> tuple[str, str]:
    if isinstance(outcome, Done):
        return TAKEN, ""
    return GIVEN_UP if isinstance(outcome, GiveUp) else LATER, reason(outcome.why)


def _row(job: Job, outcome: Outcome) -> sent.OutcomeRow:
    if isinstance(outcome, Done):
        return sent.outcome_row(job, sent.TAKEN, "")
    return sent.outcome_row(job, sent.FAILED if isinstance(outcome, GiveUp) else sent.WAITING, outcome.why)


async def _post(server: Server, parcel: Parcel, scheme: Scheme) -> Verdict:
    sign = signer(parcel, scheme)
    try:
        with scope.purpose("delivery"):
            answer = await server.door.post(parcel.inbox, parcel.body, content_type=ACTIVITY_JSON, sign=sign)
    except FetchProblem as problem:
        if problem.reason in ("disallowed", "private-address"):
            return Verdict("final", problem.reason)
        return Verdict("failed", problem.reason, heard=False)
    return judge(answer.status, answer.headers.get("retry-after"), clock.now())


async def _knock(server: Server, parcel: Parcel, refused: Verdict) -> Verdict:
    """One try with the other scheme before a refusal is believed."""
    scheme = schemes.other(parcel.scheme)
    verdict = await _post(server, parcel, scheme)
    if verdict.kind == "knock":
        return Verdict("final", f"{refused.why} whichever way it was signed", heard=True)
    if verdict.kind == "taken":
        async with server.database.write() as tx:
            await schemes.remember(tx, origin(parcel.inbox), scheme, clock.now())
    return verdict


async def _follow_the_actor(server: Server, old: Job, parcel: Parcel, verdict: Verdict) -> Outcome:
    """A redirect is not followed: whoever the inbox belongs to says where it is now."""
    uri = old.args["recipient"] or await _someone_at(server, parcel.inbox)
    if not uri:
        return Retry(None, verdict.why, heard=True)
    try:
        found = await fetch_actor(server, uri, fresh=True)
    except PrivaPubError as problem:
        return Retry(None, f"{verdict.why}, and its owner could not be asked: {problem}", heard=True)
    inbox = found.inbox if old.args["recipient"] else found.shared_inbox or found.inbox
    if inbox == parcel.inbox:
        return Retry(None, verdict.why, heard=True)
    new = Target(inbox, old.args["recipient"])
    async with server.database.write() as tx:
        await sent.moved(tx, Target(parcel.inbox, old.args["recipient"]), new)
        arguments = old.args
        if await followed_by_last(tx, old, f"{arguments['about']} {inbox}"):
            return GiveUp(TAKEN_BACK, heard=True)  # its Delete knew the new inbox already, and may have been there
        await put(tx, [job(arguments["rendering"], arguments["activity"], new, arguments["about"], arguments["post"])])
    return GiveUp(INBOX_MOVED, heard=True)


async def _someone_at(server: Server, shared_inbox: str) -> str | None:
    async with server.database.read() as tx:
        statement = select(actor.c.uri).where(actor.c.shared_inbox == shared_inbox, actor.c.state == HERE).limit(1)
        uri: str | None = await tx.scalar(statement)
    return uri


async def _ask_whether_gone(server: Server, job: Job) -> None:
    """A 410 from an inbox marks its actor gone once the actor's own address says so too; it says nothing of a host.

    Where the actor is there, and names that inbox still, that inbox alone is left out.
    """
    uri = job.args["recipient"]
    if not uri:
        return
    try:
        await fetch_actor(server, uri, fresh=True)
    except PrivaPubError as problem:
        if not isinstance(problem, FetchProblem) or problem.status != 410:
            return
    else:
        async with server.database.write() as tx:
            await inbox_gone(tx, uri, job.args["inbox"], clock.now())
        return
    async with server.database.write() as tx:
        found = await tx.scalar(select(actor.c.id).where(actor.c.uri == uri))
        if found is not None:
            await mark_gone(tx, found, clock.now())
