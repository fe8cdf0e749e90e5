"""What somebody may react with: one emoji, or the short name of a picture (FEP-c0e0). Pure."""

import re

LIKE = ""  # no emoji at all: a plain like

_SIGN = "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf"
_SIGN += "\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001f1e5\U0001f200-\U0001faff]"
_ONE = f"{_SIGN}[\ufe0e\ufe0f]?[\U0001f3fb-\U0001f3ff]?[\U000e0020-\U000e007f]*"
_FLAG = "[\U0001f1e6-\U0001f1ff]{2}"
_KEY = "[0-9#*]\ufe0f?\u20e3"
_EMOJI = re.compile(f"{_FLAG}|{_KEY}|{_ONE}(?:\u200d{_ONE}){{0,9}}")  # as Unicode Technical Standard 51 joins them
_SHORT_NAME = re.compile(r":?([A-Za-z0-9_+-]{1,100})(?:@[A-Za-z0-9.-]{1,253})?:?")
_MOST = 64


def emoji_in(said: str) -> str | None:
    """The emoji that somebody reacts with, "" for a plain like, None where it is neither emoji nor short name.

    A short name comes out as `:name:`, whether it came with colons or not; Misskey may add a host to it. How an emoji
    asks to be drawn (U+FE0F) is left out where it is not part of a joined one, so that one emoji is one reaction.
    """
    said = said.strip()
    if not said:
        return LIKE
    if len(said) <= _MOST and _EMOJI.fullmatch(said):
        return said if "\u200d" in said else said.replace("\ufe0e", "").replace("\ufe0f", "")
    name = _SHORT_NAME.fullmatch(said)
    return f":{name[1]}:" if name else None


def is_short_name(emoji: str) -> bool:
    """Whether this (of `emoji_in`) stands for a picture."""
    return emoji.startswith(":")
