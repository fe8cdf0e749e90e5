"""The `Link` header of a list (RFC 8288): what is older and what is newer than the part that was given."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from privapub.client_api.call import Call
from privapub.client_api.endpoint import Answer
from privapub.database.page import Page

_ALSO = ("limit",)


def paged(call: Call, content: Sequence[Any], page: Page[Any], *also: str) -> Answer:
    """The list with its header; `also` are the parameters that belong to the list itself and stay in its links."""
    base = f"{call.server.base_url}{call.request.url.path}"
    kept = [each for name in (*_ALSO, *also) if call.has(name) for each in _kept(call, name)]
    links = []
    for relation, name, number in (("next", "max_id", page.older), ("prev", "min_id", page.newer)):
        if number is not None:
            links.append(f'<{base}?{"&".join([*kept, f"{name}={number}"])}>; rel="{relation}"')
    return Answer(content, headers={"Link": ", ".join(links)} if links else {})


def _kept(call: Call, name: str) -> list[str]:
    if isinstance(call.given[name], list | dict):
        return [f"{name}[]={quote(text, safe='')}" for text in call.texts(name)]
    return [f"{name}={quote(call.text(name), safe='')}"]
