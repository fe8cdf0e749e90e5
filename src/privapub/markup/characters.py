"""Characters that spill out of the string they stand in: controls and direction overrides (Unicode UAX 9)."""

import re

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
# C0 and C1 controls but tab and line feed, the byte order mark, embeddings and overrides. Marks (LRM, RLM, ALM) and
# joiners stay: Arabic, Hebrew and emoji need them.
_DROPPED = re.compile("[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufeff\ufff9-\ufffb\u202a-\u202e]")
_BREAKS = re.compile("\r\n?|[\u2028\u2029]")
_ISOLATES = re.compile("[\u2066-\u2069]")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
# Any of all these: nearly every text has none.
_SPILLING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff]")
_FSI = "\u2068"
_PDI = "\u2069"


def storable(text: str) -> str:
    """The text with NUL and unpaired surrogates replaced by U+FFFD: what a database and UTF-8 can hold."""
    return _UNSTORABLE.sub(REPLACEMENT, text)


def contained(text: str) -> str:
    """The text without what reaches beyond it: controls, direction overrides, isolates that are not closed in it.

    Idempotent. Line ends become line feeds.
    """
    if not _SPILLING.search(text):
        return text
    text = _DROPPED.sub("", _BREAKS.sub("\n", storable(text)))
    return text if _balanced(text) else _ISOLATES.sub("", text)


def isolated(text: str) -> str:
    """The text for a sentence of ours that has no markup: its direction and that of the sentence stay apart (UAX 9)."""
    return f"{_FSI}{contained(text)}{_PDI}"


def _balanced(text: str) -> bool:
    open_isolates = 0
    for mark in _ISOLATES.findall(text):
        open_isolates += -1 if mark == _PDI else 1
        if open_isolates < 0:
            return False
    return open_isolates == 0
