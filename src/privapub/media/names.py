"""What stored files are called, and what is said of their content (pure).

A name is a random word and an ending. It tells nothing of the upload, of its persona or of its content; the ending
alone decides as what the file is served, and there are no others than these.
"""

import re

from privapub import identifiers

CONTENT_TYPES = {
    "jpg": "image/jpeg",
    "png": "image/png",
    "webp": "image/webp",
    "avif": "image/avif",
    "gif": "image/gif",
    "mp4": "video/mp4",
    "m4a": "audio/mp4",
    "ogg": "audio/ogg",
    # Of others' alone: what is made here is none of these.
    "webm": "video/webm",
    "ogv": "video/ogg",
    "weba": "audio/webm",
    "mp3": "audio/mpeg",
    "flac": "audio/flac",
    "wav": "audio/wav",
}
ENDINGS = {content_type: ending for ending, content_type in CONTENT_TYPES.items()}
RAW = "raw"  # an upload that is not processed yet: it is never served
_NAME = re.compile(rf"([A-Za-z0-9_-]{{20,64}})\.({'|'.join(CONTENT_TYPES)})")
_STORED = re.compile(rf"[A-Za-z0-9_-]{{20,64}}\.({'|'.join([*CONTENT_TYPES, RAW])})")


def new(content_type: str | None) -> str:
    """A name that nobody can guess for a file of this type; None names an upload as it came."""
    return f"{identifiers.token()}.{RAW if content_type is None else ENDINGS[content_type]}"


def content_type(name: str) -> str | None:
    """As what a file of this name is served; None for what is no name of a file that may be."""
    match = _NAME.fullmatch(name)
    return None if match is None else CONTENT_TYPES[match[2]]


def is_place(place: str) -> bool:
    """Whether a file of this name and place in the store can be one of ours: what else is there is somebody's."""
    folder, _, name = place.partition("/")
    return folder == name[:2] and _STORED.fullmatch(name) is not None


def place(name: str) -> str:
    """Where a file is in the store: in one of many folders, so that none of them is endless."""
    return f"{name[:2]}/{name}"
