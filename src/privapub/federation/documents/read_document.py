"""Any document: what it is, read by the reader of that, or the reason why it is not taken in."""

from typing import Any

from privapub.federation.documents import read_actor, read_collection, read_post
from privapub.federation.documents.activity_kinds import HANDLED, OTHERS
from privapub.federation.documents.fields import opened
from privapub.federation.documents.limits import MAX_HTML, MAX_NAME
from privapub.federation.documents.read_activity import Activity, read_activity
from privapub.federation.documents.read_actor import RemoteActor
from privapub.federation.documents.read_collection import RemoteCollection
from privapub.federation.documents.read_post import RemotePost
from privapub.federation.documents.read_tombstone import Tombstone, read_tombstone

Record = RemotePost | RemoteActor | Activity | RemoteCollection | Tombstone


def read_document(document: dict[str, Any]) -> Record:
    """The record of a document that came from `strict_json.read`, by the first of its types that is known.

    Raises BadDocument: the reasons of the readers, `no-type`, `wrong-type` for what is nothing that is taken in, and
    `kind-View` and the like for activities that nobody here is told of.
    """
    fields = opened(document)
    kinds = fields.types()
    if not kinds:
        raise fields.refusal("no-type", "It does not say what it is.")
    if "Tombstone" in kinds:
        return read_tombstone(document)
    for kind in kinds:
        if kind in read_post.KINDS:
            return read_post.read_post(document)
        if kind in read_actor.KINDS:
            return read_actor.read_actor(document)
        if kind in read_collection.KINDS:
            return read_collection.read_collection(document)
        if kind in HANDLED:
            return read_activity(document)
    known = next((kind for kind in kinds if kind in OTHERS), None)
    if known is not None:
        activity = read_activity(document)
        raise fields.refusal(f"kind-{known}", f"Activities of the type {activity.kind} are not taken in.")
    # What is wrong with its texts is told all the same: it may be why its type is odd.
    fields.line("name", MAX_NAME)
    fields.text("content", MAX_HTML)
    raise fields.refusal("wrong-type", f"Objects of the type {kinds[0][:MAX_NAME]} are not taken in.")
