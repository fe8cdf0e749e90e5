"""What a persona was told, one by one and in groups; its policy, and what that keeps apart."""

from collections.abc import Collection, Mapping

from msgspec import UNSET, Struct, UnsetType

from privapub import clock, identifiers
from privapub.client_api.shapes.account import Account
from privapub.client_api.shapes.status import Status
from privapub.notifications import notify
from privapub.notifications.groups import MOST_SPANS, SPAN, Group
from privapub.notifications.policy import ACCEPT, NAMES, Policy
from privapub.notifications.policy import Request as OurRequest
from privapub.notifications.read import Notification as OurNotification

# What the API calls each kind. It knows no reactions but favourites, and nothing of moves: these are not told.
TYPES: Mapping[str, str] = {
    notify.MENTION: "mention",
    notify.STATUS: "status",
    notify.REBLOG: "reblog",
    notify.FOLLOW: "follow",
    notify.FOLLOW_REQUEST: "follow_request",
    notify.FAVOURITE: "favourite",
    notify.REACTION: "favourite",
    notify.POLL: "poll",
    notify.UPDATE: "update",
    notify.QUOTE: "quote",
    notify.QUOTED_UPDATE: "quoted_update",
}
GROUPED = ("favourite", "reblog", "follow")


class Notification(Struct, kw_only=True):
    """Entity `Notification`."""

    id: str
    type: str
    group_key: str
    created_at: str
    account: Account
    status: Status | UnsetType = UNSET


class NotificationGroup(Struct, kw_only=True):
    """Entity `NotificationGroup`."""

    group_key: str
    notifications_count: int
    type: str
    most_recent_notification_id: int
    page_min_id: str | UnsetType = UNSET
    page_max_id: str | UnsetType = UNSET
    latest_page_notification_at: str | UnsetType = UNSET
    sample_account_ids: list[str]
    status_id: str | UnsetType = UNSET


class PartialAccount(Struct):
    """As much of an account as it takes to show its picture."""

    id: str
    acct: str
    locked: bool
    bot: bool
    url: str
    avatar: str
    avatar_static: str
    avatar_description: str = ""


class Grouped(Struct):
    """Entity `GroupedNotificationsResults`."""

    accounts: list[Account]
    statuses: list[Status]
    notification_groups: list[NotificationGroup]
    partial_accounts: list[PartialAccount] | UnsetType = UNSET


class Summary(Struct):
    """How much is kept apart."""

    pending_requests_count: int
    pending_notifications_count: int


class NotificationPolicy(Struct):
    """Entity `NotificationPolicy`."""

    for_not_following: str
    for_not_followers: str
    for_new_accounts: str
    for_private_mentions: str
    for_limited_accounts: str
    summary: Summary


class V1NotificationPolicy(Struct):
    """The same, as the first version of the API knew it: kept apart or not."""

    filter_not_following: bool
    filter_not_followers: bool
    filter_new_accounts: bool
    filter_private_mentions: bool
    summary: Summary


class NotificationRequest(Struct):
    """Entity `NotificationRequest`; its number is that of the actor."""

    id: str
    created_at: str
    updated_at: str
    notifications_count: str
    account: Account
    last_status: Status | None


class Count(Struct):
    """How many there are."""

    count: int


class Merged(Struct):
    """Whether what was accepted stands among the rest."""

    merged: bool


def group_of(of: OurNotification, grouped: Collection[str] = GROUPED) -> Group | None:
    """The group in which a notification is, where those of its type are grouped (pure)."""
    kind = TYPES[of.kind]
    if kind not in grouped:
        return None
    return Group(kinds_of([kind]), None if of.post is None else of.post.id, of.id // SPAN)


def kinds_of(types: Collection[str]) -> tuple[str, ...]:
    """Our kinds that are called so (pure)."""
    return tuple(kind for kind, name in TYPES.items() if name in types)


def group_key(of: OurNotification, group: Group | None) -> str:
    """By which a notification's group is asked for (pure): its type, the post, and the half day."""
    if group is None:
        return f"ungrouped-{of.id}"
    about = "" if group.post_id is None else f"-{group.post_id}"
    return f"{TYPES[of.kind]}{about}-{group.span}"


def read_key(key: str) -> Group | int | None:
    """The group of this key, or the number of a notification that is by itself; None for what is no key (pure)."""
    name, *parts = key.split("-")
    numbers = [number for part in parts if (number := identifiers.number_in(part)) is not None]
    if name == "ungrouped" and len(parts) == len(numbers) == 1:
        return numbers[0]
    wanted = 1 if name == "follow" else 2
    if name not in GROUPED or len(parts) != wanted or len(numbers) != wanted or numbers[-1] >= MOST_SPANS:
        return None
    return Group(kinds_of([name]), numbers[0] if wanted == 2 else None, numbers[-1])


def notification(of: OurNotification, account: Account, status: Status | None) -> Notification:
    """One thing that a persona was told (pure)."""
    shown = Notification(
        id=str(of.id),
        type=TYPES[of.kind],
        group_key=group_key(of, group_of(of)),
        created_at=clock.iso(of.created_at),
        account=account,
    )
    if status is not None:
        shown.status = status
    return shown


def partial(of: Account) -> PartialAccount:
    """As much of this account as it takes to show its picture (pure)."""
    return PartialAccount(of.id, of.acct, of.locked, of.bot, of.url, of.avatar, of.avatar_static, of.avatar_description)


def policy(of: Policy, waiting: tuple[int, int]) -> NotificationPolicy:
    """A policy (pure)."""
    choices = {name: getattr(of, name) for name in NAMES}
    return NotificationPolicy(**choices, summary=Summary(*waiting))


def v1_policy(of: Policy, waiting: tuple[int, int]) -> V1NotificationPolicy:
    """The same for programs that know two choices (pure)."""
    return V1NotificationPolicy(
        of.for_not_following != ACCEPT,
        of.for_not_followers != ACCEPT,
        of.for_new_accounts != ACCEPT,
        of.for_private_mentions != ACCEPT,
        Summary(*waiting),
    )


def request(of: OurRequest, account: Account, last: Status | None) -> NotificationRequest:
    """What is kept apart of one actor (pure)."""
    return NotificationRequest(
        str(of.actor_id), clock.iso(of.created_at), clock.iso(of.updated_at), str(of.count), account, last
    )
