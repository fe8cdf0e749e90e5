"""What the reader makes of each document of the corpus, as one row of words: the table beside this holds them.

`python -m corpus.rows` (in `tests`, with `src` on the path) writes the table anew; then every row that changed is
looked at beside its document before it is kept.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from privapub.errors import NotFound
from privapub.federation.documents import strict_json
from privapub.federation.documents.problems import BadDocument
from privapub.federation.documents.properties import PUBLIC, types
from privapub.federation.documents.read_activity import Activity
from privapub.federation.documents.read_actor import RemoteActor
from privapub.federation.documents.read_collection import RemoteCollection
from privapub.federation.documents.read_document import Record, read_document
from privapub.federation.documents.read_nodeinfo import read_nodeinfo, read_nodeinfo_address
from privapub.federation.documents.read_post import KINDS, RemotePost, read_post
from privapub.federation.documents.read_tags import Tag
from privapub.federation.documents.read_tombstone import Tombstone
from privapub.federation.fetching.jrd import Name, read_jrd
from shared import shared

TABLE = Path(__file__).with_name("documents.tsv")
COLUMNS = (
    "file", "verdict", "type", "reason", "recipients", "tags", "attachments", "language", "reply to", "warning",
    "quote", "poll", "letters", "notes",
)  # fmt: skip
NAMES: dict[type, str] = {
    RemotePost: "post",
    RemoteActor: "actor",
    Activity: "activity",
    RemoteCollection: "collection",
    Tombstone: "tombstone",
}
Row = dict[str, str]


def corpus() -> list[tuple[Path, str, str]]:
    """Each document of the corpus: its file, whose software wrote it, and what it is said to be."""
    found = shared("corpus/index.tsv")
    rows = [line.split("\t") for line in found.read_text().splitlines()[1:]]
    return [(found.parent / row[0], row[1], row[2]) for row in rows]


def kept() -> list[Row]:
    """The rows of the table."""
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    return [dict(zip(lines[0].split("\t"), line.split("\t"), strict=True)) for line in lines[1:]]


def made() -> Iterator[Row]:
    """The rows as they would be written now."""
    for path, _project, kind in corpus():
        yield {"file": f"{path.parent.name}/{path.name}", **row(path.read_bytes(), kind)}


def row(body: bytes, kind: str) -> Row:
    """One document's row without its name; `kind` tells the forms that are no ActivityStreams."""
    try:
        document = strict_json.read(body)
        if kind in _OTHER_FORMS:
            return {"verdict": kind, "type": _OTHER_FORMS[kind](document)}
        return _of(read_document(document), document)
    except BadDocument as bad:
        return {"verdict": "refused", "reason": bad.reason, "notes": _notes(bad.notes)}
    except NotFound:
        return {"verdict": "refused", "reason": "no-actor-named"}


def _webfinger(document: dict[str, Any]) -> str:
    found = read_jrd(document, Name("somebody", "peer.test"))
    return str(found.name)


def _nodeinfo(document: dict[str, Any]) -> str:
    found = read_nodeinfo(document)
    return f"{found.software} {found.version}"


_OTHER_FORMS = {"webfinger": _webfinger, "nodeinfo": _nodeinfo, "nodeinfo-discovery": read_nodeinfo_address}


def _of(record: Record, document: dict[str, Any]) -> Row:
    basics = {"verdict": NAMES[type(record)], "type": _type(record, document), "notes": _notes(record.notes)}
    if isinstance(record, RemotePost):
        return basics | _post(record)
    if isinstance(record, Activity):
        return basics | _activity(record)
    if isinstance(record, RemoteActor):
        return basics | {"tags": _tags(record.tags), "letters": str(len(record.name) + len(record.summary))}
    if isinstance(record, RemoteCollection):
        items = [*record.items, *(record.first_page.items if record.first_page else ())]
        return basics | {"letters": f"{len(items)} of {record.total}"}
    return basics


def _activity(record: Activity) -> Row:
    said = {
        "recipients": _recipients(record.to, record.cc),
        "tags": _tags(record.tags),
        "letters": str(len(record.content)),
    }
    if record.object is None or not set(types(record.object)) & KINDS:
        return said
    try:
        inner = read_post(record.object)
    except BadDocument as bad:
        return said | {"reason": f"object: {bad.reason}", "notes": _notes(record.notes + bad.notes)}
    return said | _post(inner) | {"notes": _notes(record.notes + inner.notes)}


def _post(record: RemotePost) -> Row:
    poll = record.poll
    return {
        "recipients": _recipients(record.to, record.cc),
        "tags": _tags(record.tags),
        "attachments": _counted(each.type for each in record.attachments),
        "language": record.language or "",
        "reply to": record.in_reply_to or "",
        "warning": f"{len(record.summary)} letters" if record.summary else "sensitive" if record.sensitive else "",
        "quote": record.quote or "",
        "poll": f"{len(poll.options)} {'any' if poll.multiple else 'one'}" if poll else "",
        "letters": str(len(record.content)),
    }


def _type(record: Record, document: dict[str, Any]) -> str:
    if isinstance(record, Tombstone):
        return record.former_type or "Tombstone"
    if isinstance(record, Activity) and record.object is not None:
        return " ".join([record.kind, *types(record.object)[:1]])
    return record.kind if not isinstance(document.get("type"), list) else f"{record.kind} of a list"


def _recipients(to: tuple[str, ...], cc: tuple[str, ...]) -> str:
    """`public` or `unlisted` as `to` or `cc` says so, and how many others are named."""
    others = {*to, *cc} - {PUBLIC}
    seen = "public" if PUBLIC in to else "unlisted" if PUBLIC in cc else ""
    return f"{seen} +{len(others)}".strip()


def _tags(tags: tuple[Tag, ...]) -> str:
    return _counted(tag.type for tag in tags)


def _counted(names: Iterator[str]) -> str:
    return " ".join(f"{name}*{number}" for name, number in sorted(Counter(names).items()))


def _notes(notes: tuple[tuple[str, str], ...]) -> str:
    return " ".join(sorted({name for name, _sentence in notes}))


def write() -> None:
    """Write the table anew."""
    lines = ["\t".join(COLUMNS), *("\t".join(each.get(name, "") for name in COLUMNS) for each in made())]
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
