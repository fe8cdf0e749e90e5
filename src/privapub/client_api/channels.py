"""What a program may listen to, by the names of the streaming API (pure)."""

from collections.abc import Mapping
from dataclasses import dataclass

from privapub import identifiers
from privapub.markup.hashtags import tag_key

STATUSES, NOTIFICATIONS = "read:statuses", "read:notifications"
# The name of a stream, and the scopes that are needed for it.
NAMES: Mapping[str, tuple[str, ...]] = {
    "user": (STATUSES, NOTIFICATIONS),
    "user:notification": (NOTIFICATIONS,),
    "public": (STATUSES,),
    "public:media": (STATUSES,),
    "public:local": (STATUSES,),
    "public:local:media": (STATUSES,),
    "public:remote": (STATUSES,),
    "public:remote:media": (STATUSES,),
    "hashtag": (STATUSES,),
    "hashtag:local": (STATUSES,),
    "list": (STATUSES,),
    "direct": (STATUSES,),
}
# The addresses that have one stream each.
PATHS = {
    "user": "user",
    "user/notification": "user:notification",
    "public": "public",
    "public/local": "public:local",
    "public/remote": "public:remote",
    "hashtag": "hashtag",
    "hashtag/local": "hashtag:local",
    "list": "list",
    "direct": "direct",
}
_LONGEST_TAG = 200


@dataclass(frozen=True)
class Channel:
    """A stream; `what` is the hashtag as it was asked for, or the list's number."""

    name: str
    what: str = ""

    @property
    def told(self) -> list[str]:
        """What a message says of where it comes from."""
        return [self.name, self.what] if self.what else [self.name]

    @property
    def key(self) -> str:
        """By which posts with the hashtag are known."""
        return tag_key(self.what)

    @property
    def is_tag(self) -> bool:
        """Whether only posts with one hashtag are told of."""
        return self.name.startswith("hashtag")

    @property
    def only_media(self) -> bool:
        """Whether only posts with files are told of."""
        return self.name.endswith(":media")


def channel(name: str, tag: str, number: str, *, only_media: bool = False) -> Channel | str:
    """The stream that is asked for, or a sentence about what is wrong."""
    if only_media and name.startswith("public") and not name.endswith(":media"):
        name += ":media"
    if name not in NAMES:
        return "Unknown stream type"
    if name.startswith("hashtag"):
        tag = tag.lstrip("#")
        return Channel(name, tag) if tag and len(tag) <= _LONGEST_TAG else "Missing tag name parameter"
    if name == "list":
        return Channel(name, number) if identifiers.number_in(number) is not None else "Missing list name parameter"
    return Channel(name)
