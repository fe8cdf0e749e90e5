"""How much of a document is read. What is longer is cut, what is more is dropped, and a note says so.

Every length is in characters. Nothing that a document says decides how much room it takes here.
"""

import re
import unicodedata

MAX_ID = 2048
MAX_IDS = 1000  # recipients in one property
MAX_NAME = 500
MAX_TITLE = 4000  # a name before its HTML is taken out
MAX_HTML = 100_000
MAX_TEXTS = 150_000  # of one post: its HTML with all that is put into it, and that of its translations
MAX_SUMMARY = 2000
MAX_SOURCE = 100_000
MAX_NOTES = 50
MAX_LANGUAGES = 20
MAX_TAGS = 200
MAX_ATTACHMENTS = 32
MAX_ALT = 10_000
MAX_SIDE = 100_000  # pixels
MAX_OPTIONS = 20  # of a poll
MAX_OPTION = 500
MAX_COUNT = 2**53 - 1
MAX_TOTAL = 10**9  # of what is counted elsewhere: no more is believed, nor shown
MAX_FIELDS = 16
MAX_FIELD_VALUE = 4000
MAX_KEYS = 10
MAX_ALIASES = 20
MAX_AUTHORS = 20
MAX_OBJECTS = 100  # of one activity: a Flag names many
MAX_ITEMS = 1000  # of one page of a collection

_NEAR = 200
_UNFINISHED = re.compile(r"<[^<>]*\Z|&[#\w]{0,12}\Z")
_JOINING = frozenset("\u200d\ufe0e\ufe0f\u20e3")


def cut(text: str, limit: int) -> str:
    """At most `limit` characters, cut where a word, a tag, a reference and a written character end."""
    if len(text) <= limit:
        return text
    end = limit
    while end > max(0, limit - _NEAR) and _joins(text[end]):
        end -= 1
    head = _UNFINISHED.sub("", text[:end])
    at = max(head.rfind(mark) for mark in (" ", "\n", ">"))
    if at > len(head) - _NEAR and at > 0:
        head = head[: at + 1]
    return head.rstrip()


def _joins(letter: str) -> bool:
    """Whether this belongs to the character before it."""
    return letter in _JOINING or unicodedata.combining(letter) != 0 or "\U0001f3fb" <= letter <= "\U0001f3ff"
