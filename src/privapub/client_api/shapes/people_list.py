"""Lists of people, as programs show them."""

from msgspec import Struct

from privapub.timelines import lists


class PeopleList(Struct):
    """Entity `List`."""

    id: str
    title: str
    replies_policy: str
    exclusive: bool


def people_list(of: lists.PeopleList) -> PeopleList:
    """A list (pure)."""
    return PeopleList(str(of.id), of.title, of.replies, of.exclusive)
