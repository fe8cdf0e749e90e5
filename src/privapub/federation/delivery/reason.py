"""The sentence that says why a delivery ended, as one of few words that can be counted. Pure.

The sentence may hold what a peer said, and names that nobody counts; the word never does.
"""

import re

from privapub.jobs.job import WORKER_DIED
from privapub.jobs.settle import TAKEN_BACK
from privapub.outbound.answers import FAILED, REFUSED

NOTHING_TO_SEND = "what was to be sent is no more"
INBOX_MOVED = "the inbox has moved"
CANCELLED = "cancelled"
OTHER = "other"
_ANSWERED = re.compile(r"answered ([1-5]\d\d)\b")
_WAITED = "waited for "
_OF_SENTENCES = {
    NOTHING_TO_SEND: "nothing-to-send",
    INBOX_MOVED: "inbox-moved",
    TAKEN_BACK: "taken-back",
    WORKER_DIED: "worker-died",
    CANCELLED: "cancelled",
}
WORDS = frozenset({*_OF_SENTENCES.values(), *REFUSED, *FAILED, "waited-too-long", OTHER})  # and the statuses


def reason(why: str) -> str:
    """The status of an answer, the reason of a fetch that failed, or one of the few others."""
    answered = _ANSWERED.match(why)
    if answered:
        return answered[1]
    if why.startswith(_WAITED):
        return "waited-too-long"
    if why in REFUSED or why in FAILED:
        return why
    return _OF_SENTENCES.get(why, OTHER)
