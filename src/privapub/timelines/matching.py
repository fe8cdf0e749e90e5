"""Whether a filter is about a post: words in any script, whole or in part (all pure)."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

WARN, HIDE, BLUR = "warn", "hide", "blur"
ACTIONS = (WARN, HIDE, BLUR)
HOME, NOTIFICATIONS, PUBLIC, THREAD, ACCOUNT = "home", "notifications", "public", "thread", "account"
PLACES = (HOME, NOTIFICATIONS, PUBLIC, THREAD, ACCOUNT)
# Letters of these scripts stand without spaces between words: there is no telling where a whole word ends.
_WITHOUT_SPACES = ("CJK", "HIRAGANA", "KATAKANA", "BOPOMOFO", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN", "JAVANESE")


@dataclass(frozen=True)
class Word:
    """What is looked for; `whole` where it is to stand by itself."""

    id: int
    word: str
    whole: bool = True


@dataclass(frozen=True)
class Filter:
    """What a persona does not want to read, where, and what is then done: a word before it, or nothing shown."""

    id: int
    title: str
    places: tuple[str, ...]
    action: str
    words: tuple[Word, ...] = ()
    post_ids: tuple[tuple[int, int], ...] = ()  # (its own number, the post's)
    ends_at: float | None = None


@dataclass(frozen=True)
class Match:
    """A filter that is about a post: by these words of it, or because it names the post."""

    filter: Filter
    words: tuple[str, ...] = ()
    by_post: bool = False


def matches(filters: Sequence[Filter], post_id: int, text: str) -> tuple[Match, ...]:
    """The filters that are about this post, whose text (warning, descriptions and options with it) this is."""
    folded = fold(text)
    found = []
    for each in filters:
        words = tuple(word.word for word in each.words if stands_in(word, folded))
        by_post = any(post_id == named for _, named in each.post_ids)
        if words or by_post:
            found.append(Match(each, words, by_post))
    return tuple(found)


def fold(text: str) -> str:
    """The text with nothing left of case and of how letters are put together."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def stands_in(word: Word, folded: str) -> bool:
    """Whether the word is in a text that was folded. A word of nothing is in none."""
    wanted = fold(word.word).strip()
    if not wanted:
        return False
    if not word.whole:
        return wanted in folded
    at = folded.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        if not _goes_on(folded[at - 1 : at], wanted[0]) and not _goes_on(folded[end : end + 1], wanted[-1]):
            return True
        at = folded.find(wanted, at + 1)
    return False


def _goes_on(beside: str, edge: str) -> bool:
    """Whether a word goes on beyond its edge with this character ("" where the text ends)."""
    return bool(beside) and _is_letter(beside) and _is_letter(edge) and not _without_spaces(edge)


def _is_letter(character: str) -> bool:
    # Marks too: a vowel sign after a consonant belongs to the word.
    return character == "_" or unicodedata.category(character)[0] in "LMN"


def _without_spaces(character: str) -> bool:
    return unicodedata.name(character, "").startswith(_WITHOUT_SPACES)
