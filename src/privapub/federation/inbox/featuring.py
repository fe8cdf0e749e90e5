"""Whether an Add or a Remove is about what its actor features, and what it names. Pure."""

from dataclasses import dataclass

from privapub.actors.read import Actor
from privapub.federation.documents.properties import line, types
from privapub.federation.documents.read_activity import Activity


@dataclass(frozen=True)
class Featuring:
    """What is featured: a post by its `uri`, or a hashtag by its `tag`; one of the two."""

    uri: str | None = None
    tag: str | None = None


def featuring(activity: Activity, signer: Actor) -> Featuring | str:
    """What is put there or taken off, else the reason why it is none of ours to know.

    The target is the collection that the actor's own document calls `featured` or `featuredTags`: nobody features for
    another, and other collections (a group's, a thread's) mean something else.
    """
    collections = {uri for uri in (signer.featured, signer.featured_tags) if uri}
    if activity.target not in collections:
        return "other-collection"
    if activity.object is not None and "Hashtag" in types(activity.object):
        name = line(activity.object.get("name")).removeprefix("#")
        return Featuring(tag=name) if name else "no-object"
    return Featuring(uri=activity.object_id) if activity.object_id else "no-object"
