"""Every job kind and every fact, and the function that does it: one table, checked at start, handed to the worker."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from typing import Any

import msgspec

from privapub.accounts.letters import LETTER
from privapub.actors.addresses import Addresses
from privapub.actors.facts import ActorBlocked, ActorGone, ActorMoved, ActorUnblocked, TagFeatured
from privapub.client_api import wake
from privapub.composing import letters, name_later, scheduled
from privapub.composing.name_later import NAME_LATER
from privapub.composing.scheduled import SCHEDULED
from privapub.database.transaction import Transaction
from privapub.effects.actor_blocked import actor_blocked
from privapub.effects.actor_gone import actor_gone
from privapub.effects.actor_moved import actor_moved
from privapub.effects.actor_unblocked import actor_unblocked
from privapub.effects.boost_withdrawn import boost_withdrawn
from privapub.effects.clean_domain import CLEAN, clean_domain
from privapub.effects.domain_ruled import domain_ruled
from privapub.effects.follow_answered import follow_answered
from privapub.effects.follow_asked import follow_asked
from privapub.effects.follow_withdrawn import follow_withdrawn
from privapub.effects.followed import followed
from privapub.effects.keys_rotated import keys_rotated
from privapub.effects.media_settled import media_settled
from privapub.effects.persona_edited import persona_edited
from privapub.effects.persona_moved import persona_moved
from privapub.effects.poll_counted import poll_counted
from privapub.effects.poll_ended import poll_ended
from privapub.effects.post_boosted import post_boosted
from privapub.effects.post_deleted import post_deleted
from privapub.effects.post_edited import post_edited
from privapub.effects.post_pinned import post_pinned
from privapub.effects.post_published import post_published
from privapub.effects.post_received import post_received
from privapub.effects.prune import PRUNE, prune, sweep
from privapub.effects.quote_answered import quote_answered
from privapub.effects.quote_asked import quote_asked
from privapub.effects.reaction_added import reaction_added
from privapub.effects.reaction_withdrawn import reaction_withdrawn
from privapub.effects.relay_asked import relay_asked
from privapub.effects.relay_left import relay_left
from privapub.effects.report_filed import report_filed
from privapub.effects.stamp_revoked import stamp_revoked
from privapub.effects.tag_featured import tag_featured
from privapub.effects.vote_cast import vote_cast
from privapub.federation.delivery.deliver import DELIVERY, HOLD
from privapub.federation.delivery.parcels import Parcels
from privapub.federation.delivery.send import record, send
from privapub.federation.inbox import ask_origin, check_quote, dispatch, read_poll, synchronize
from privapub.federation.inbox.ask_origin import ASK_ORIGIN
from privapub.federation.inbox.check_quote import QUOTE
from privapub.federation.inbox.store import INBOX
from privapub.federation.inbox.synchronize import SYNCHRONIZE
from privapub.federation.threads.door import Turns
from privapub.federation.threads.read import read_thread
from privapub.follows.facts import FollowAnswered, FollowAsked, Followed, FollowWithdrawn, RelayAsked, RelayLeft
from privapub.jobs.enqueue import fact_kind
from privapub.jobs.job import FACTS, GiveUp, Job, Outcome
from privapub.jobs.kind import JobKind, Write
from privapub.link_previews import build as previews
from privapub.link_previews.plan import PREVIEW
from privapub.media import make, remote
from privapub.media.accept import MEDIA
from privapub.media.facts import MediaSettled
from privapub.media.let_go import UNSTORE, unstore
from privapub.moderation.facts import DomainRuled, ReportFiled
from privapub.notifications.push import HOLD as HOLD_PUSH
from privapub.notifications.push import PUSH
from privapub.personas import links_back
from privapub.personas.facts import KeysRotated, PersonaEdited, PersonaMoved
from privapub.personas.links_back import PROFILE_LINK
from privapub.posts.facts import (
    BoostWithdrawn,
    PollCounted,
    PollEnded,
    PostBoosted,
    PostDeleted,
    PostEdited,
    PostPinned,
    PostPublished,
    PostReceived,
    QuoteAnswered,
    QuoteAsked,
    ReactionAdded,
    ReactionWithdrawn,
    StampRevoked,
    VoteCast,
)
from privapub.posts.polls import READ_POLL
from privapub.posts.threads import CONTEXT
from privapub.proxy.prefetch import REMOTE_FILE
from privapub.server import Server

Effect = Callable[[Transaction, Any, Addresses, float], Awaitable[None]]

EFFECTS: Mapping[type, Effect] = {
    ActorBlocked: actor_blocked,
    ActorGone: actor_gone,
    ActorMoved: actor_moved,
    ActorUnblocked: actor_unblocked,
    BoostWithdrawn: boost_withdrawn,
    DomainRuled: domain_ruled,
    FollowAnswered: follow_answered,
    FollowAsked: follow_asked,
    FollowWithdrawn: follow_withdrawn,
    Followed: followed,
    KeysRotated: keys_rotated,
    MediaSettled: media_settled,
    PersonaEdited: persona_edited,
    PersonaMoved: persona_moved,
    PollCounted: poll_counted,
    PollEnded: poll_ended,
    PostBoosted: post_boosted,
    PostDeleted: post_deleted,
    PostEdited: post_edited,
    PostPinned: post_pinned,
    PostPublished: post_published,
    PostReceived: post_received,
    QuoteAnswered: quote_answered,
    QuoteAsked: quote_asked,
    ReactionAdded: reaction_added,
    ReactionWithdrawn: reaction_withdrawn,
    RelayAsked: relay_asked,
    RelayLeft: relay_left,
    ReportFiled: report_filed,
    StampRevoked: stamp_revoked,
    TagFeatured: tag_featured,
    VoteCast: vote_cast,
}
OF_FACTS = frozenset(fact_kind(fact) for fact in EFFECTS)
# The names in the table.
KINDS = (
    frozenset(
        {
            ASK_ORIGIN,
            CLEAN,
            CONTEXT,
            DELIVERY,
            INBOX,
            LETTER,
            MEDIA,
            NAME_LATER,
            PREVIEW,
            PROFILE_LINK,
            PRUNE,
            QUOTE,
            READ_POLL,
            REMOTE_FILE,
            PUSH,
            SCHEDULED,
            SYNCHRONIZE,
            UNSTORE,
        }
    )
    | OF_FACTS
)


INBOX_ASIDE = 64  # incoming activities that may wait for other servers beside those that have a place


def in_words(kinds: Iterable[str] = KINDS) -> str:
    """The names of kinds, those of facts behind the word that stands for all of them. Pure."""
    names = set(kinds)
    facts = ", ".join(sorted(names & OF_FACTS))
    return ", ".join(sorted(names - OF_FACTS)) + (f", and {FACTS}: {facts}" if facts else "")


def job_kinds(server: Server) -> dict[str, JobKind]:
    """The table, by name."""
    settings = server.settings
    addresses = Addresses(server.base_url, server.media_base_url)
    kinds = [
        JobKind(
            DELIVERY,
            fetch=partial(send, server, Parcels(server.database)),
            record=partial(record, server.departures),
            at_once=settings.deliveries_at_once,
            per_lane=settings.deliveries_per_host,
            hold=HOLD,
            breaker=True,
            failing_at_once=settings.deliveries_failing,
            aside_at_once=settings.deliveries_aside,
        ),
        JobKind(
            INBOX,
            fetch=partial(dispatch.fetch, server),
            write=partial(dispatch.write, server),
            at_once=settings.inbox_at_once,
            # Those of one host that wait for answers of others leave places for what another has sent.
            per_lane=max(1, settings.inbox_at_once // 2),
            aside_at_once=INBOX_ASIDE,
        ),
        JobKind(
            ASK_ORIGIN,
            fetch=partial(ask_origin.fetch, server),
            write=partial(ask_origin.write, server),
            at_once=4,
            per_lane=1,
            attempts=ask_origin.ATTEMPTS,
        ),
        JobKind(CLEAN, fetch=partial(clean_domain, server), at_once=1),
        JobKind(CONTEXT, fetch=partial(read_thread, server, Turns()), at_once=settings.threads_at_once, attempts=3),
        JobKind(
            MEDIA,
            fetch=partial(make.fetch, server),
            write=partial(make.write, addresses),
            record=make.record,
            at_once=1,
            lease=make.LEASE,
            deadline=make.DEADLINE,
            attempts=make.ATTEMPTS,
        ),
        JobKind(
            REMOTE_FILE,
            fetch=partial(remote.fetch, server),
            write=remote.write,
            record=remote.record,
            at_once=4,
            per_lane=2,
            lease=remote.LEASE,
            deadline=remote.DEADLINE,
            attempts=remote.ATTEMPTS,
        ),
        JobKind(LETTER, fetch=partial(letters.send, server), at_once=2, attempts=letters.ATTEMPTS),
        JobKind(
            PUSH,
            fetch=partial(wake.fetch, server),
            write=wake.write,
            at_once=8,
            per_lane=4,
            attempts=wake.ATTEMPTS,
            hold=HOLD_PUSH,
            breaker=True,
        ),
        JobKind(UNSTORE, fetch=partial(unstore, server), at_once=1),
        JobKind(
            NAME_LATER,
            fetch=partial(name_later.fetch, server),
            write=name_later.write,
            at_once=2,
            attempts=name_later.ATTEMPTS,
        ),
        JobKind(
            SCHEDULED,
            fetch=partial(scheduled.fetch, server),
            write=partial(scheduled.write, server),
            at_once=2,
            attempts=scheduled.ATTEMPTS,
        ),
        JobKind(
            PREVIEW,
            fetch=partial(previews.fetch, server),
            write=previews.write,
            at_once=4,
            per_lane=1,
            attempts=previews.ATTEMPTS,
        ),
        JobKind(
            PROFILE_LINK,
            fetch=partial(links_back.fetch, server),
            write=links_back.write,
            at_once=2,
            per_lane=1,
            attempts=links_back.ATTEMPTS,
        ),
        JobKind(QUOTE, fetch=partial(check_quote.fetch, server), write=check_quote.write, at_once=2),
        JobKind(PRUNE, fetch=partial(sweep, server), write=prune, at_once=1),
        JobKind(READ_POLL, fetch=partial(read_poll.fetch, server), write=read_poll.write, at_once=2, attempts=3),
        JobKind(
            SYNCHRONIZE,
            fetch=partial(synchronize.fetch, server),
            write=partial(synchronize.write, server),
            at_once=2,
            per_lane=1,
            attempts=synchronize.ATTEMPTS,
        ),
        *(JobKind(fact_kind(fact), write=_effect(fact, effect, addresses)) for fact, effect in EFFECTS.items()),
    ]
    return {kind.name: kind for kind in kinds}


def _effect(fact: type, effect: Effect, addresses: Addresses) -> Write:
    """A job of a fact is the fact's fields: what follows from it is written with the job's end."""

    async def write(tx: Transaction, job: Job, _fetched: Any, now: float) -> Outcome | None:
        try:
            told: Any = msgspec.convert(job.args, fact)
        except msgspec.ValidationError as error:
            return GiveUp(f"its arguments are not those of a {fact.__name__}: {error}")
        await effect(tx, told, addresses, now)
        return None

    return write
