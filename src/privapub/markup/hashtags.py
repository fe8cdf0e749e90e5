"""What is a hashtag, in any script, and where its posts are. The same words as Mastodon takes."""

import unicodedata
from urllib.parse import quote

LONGEST_TAG = 100
# What may stand within a name and not at its ends: middle dots, and the joiners that many scripts need.
_BETWEEN = "\u00b7\u30fb\u200c\u200d"


def hashtag_at(text: str, start: int) -> str:
    """The name of a hashtag that begins here (after its sign); empty where it is none.

    A name is letters, marks, digits and underscores, one letter at least: "1" is none.
    """
    end = start
    for character in text[start : start + LONGEST_TAG + 1]:
        if not (_is_in_words(character) or (character in _BETWEEN and end > start)):
            break
        end += 1
    name = text[start:end].rstrip(_BETWEEN)
    is_name = len(name) <= LONGEST_TAG and any(character.isalpha() for character in name)
    return name if is_name and not unicodedata.category(name[0]).startswith("M") else ""


def is_hashtag(name: str) -> bool:
    """Whether this, without its sign, is a hashtag: one word with a letter in it, and not endless."""
    return bool(name) and hashtag_at(name, 0) == name


def tag_key(name: str) -> str:
    """By what two hashtags are the same: letter case and ways to write one letter make no other tag."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def tag_address(tag_url: str, name: str) -> str:
    """Where a hashtag's posts are: letter case makes no other tag."""
    return f"{tag_url.rstrip('/')}/{quote(tag_key(name), safe='')}"


def ends_word(text: str, end: int) -> bool:
    """Whether the text before this place ends with what words are made of."""
    return end > 0 and _is_in_words(text[end - 1])


def _is_in_words(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character) in {"Mn", "Mc", "Me", "Pc"}
