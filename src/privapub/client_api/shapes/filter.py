"""Filters, and what they say of a post."""

from msgspec import UNSET, Struct, UnsetType

from privapub import clock
from privapub.timelines.matching import HIDE, Match
from privapub.timelines.matching import Filter as OurFilter
from privapub.timelines.matching import Word as OurWord


class FilterKeyword(Struct):
    """A word that a filter looks for."""

    id: str
    keyword: str
    whole_word: bool


class FilterStatus(Struct):
    """A post that a filter names."""

    id: str
    status_id: str


class Filter(Struct):
    """Entity `Filter`. What it looks for is told to whoever asks for filters, not with each post."""

    id: str
    title: str
    context: list[str]
    expires_at: str | None
    filter_action: str
    keywords: list[FilterKeyword] | UnsetType = UNSET
    statuses: list[FilterStatus] | UnsetType = UNSET


class FilterResult(Struct):
    """That a filter is about a post, and by which words or which post."""

    filter: Filter
    keyword_matches: list[str] | None
    status_matches: list[str] | None


class V1Filter(Struct):
    """A word of a filter, as the first version of the API knew filters."""

    id: str
    phrase: str
    context: list[str]
    whole_word: bool
    expires_at: str | None
    irreversible: bool


def of_filter(found: OurFilter, *, whole: bool = True) -> Filter:
    """A filter (pure); `whole`: with what it looks for."""
    shown = Filter(str(found.id), found.title, list(found.places), _end(found), found.action)
    if whole:
        shown.keywords = [keyword(word) for word in found.words]
        shown.statuses = [named(each) for each in found.post_ids]
    return shown


def keyword(word: OurWord) -> FilterKeyword:
    """A word of a filter (pure)."""
    return FilterKeyword(str(word.id), word.word, word.whole)


def named(pair: tuple[int, int]) -> FilterStatus:
    """A post that a filter names (pure)."""
    return FilterStatus(str(pair[0]), str(pair[1]))


def result(match: Match, post_id: int) -> FilterResult:
    """What a filter says of this post (pure)."""
    return FilterResult(
        of_filter(match.filter, whole=False),
        list(match.words) or None,
        [str(post_id)] if match.by_post else None,
    )


def v1(found: OurFilter, word: OurWord) -> V1Filter:
    """One word of a filter (pure)."""
    return V1Filter(str(word.id), word.word, list(found.places), word.whole, _end(found), found.action == HIDE)


def _end(found: OurFilter) -> str | None:
    return None if found.ends_at is None else clock.iso(found.ends_at)
