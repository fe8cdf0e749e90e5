"""Markdown (CommonMark 0.31, and struck text and tables of GitHub's) as HTML.

HTML in it is text, as are pictures and definitions of links that stand apart; a line end is a line end. Links,
mentions and hashtags are found while the text is parsed, so that no star in an address makes anything slanted and
nothing in code or in the words of a link is linked.
"""

from collections.abc import Sequence
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from privapub.markup.clean import clean
from privapub.markup.found import TOKEN, Found, written

_MOST_NESTING = 30
_FOUND = "found"


class _Renderer(RendererHTML):
    def softbreak(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return self.hardbreak(tokens, idx, options, env)

    def hardbreak(self, _tokens: Sequence[Token], _idx: int, _options: OptionsDict, _env: EnvType) -> str:
        return "<br>"


class _Markdown(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: N802 - the name is the library's
        token = TOKEN.match(url)
        return bool(token and token["url"] and clean(f'<a href="{escape(url)}">x</a>').startswith("<a href"))

    def normalizeLink(self, url: str) -> str:  # noqa: N802 - the name is the library's
        return url

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802 - the name is the library's
        return link


def markdown_html(text: str, found: Found) -> str | None:
    """The HTML of Markdown, cleaned; None where it is nested deeper than a person writes."""
    env: dict[str, Any] = {_FOUND: found}
    tokens = _markdown.parse(text, env)
    if any(token.nesting == 1 and token.level >= _MOST_NESTING - 1 for token in tokens):
        return None
    return clean(_markdown.renderer.render(tokens, _markdown.options, env)).strip("\n")


def _bare(state: StateInline, silent: bool) -> bool:
    """A rule for links, mentions and hashtags that stand in the text as they are."""
    if state.linkLevel > 0:
        return False
    token = TOKEN.match(state.src, state.pos)
    if token is None:
        return False
    length, html = written(token, None if silent else state.env[_FOUND])
    if not silent:
        state.push("html_inline", "", 0).content = html
    state.pos += length
    return True


def _parser() -> MarkdownIt:
    parser = _Markdown(
        "commonmark",
        {"html": False, "breaks": True, "xhtmlOut": False, "maxNesting": _MOST_NESTING},
        renderer_cls=_Renderer,
    )
    parser.enable(["strikethrough", "table"]).disable(["image", "reference", "html_block", "html_inline"])
    parser.inline.ruler.before("escape", "bare", _bare)
    for beginning in "hH\uff03":
        parser.inline.add_terminator_char(beginning)
    return parser


_markdown = _parser()
