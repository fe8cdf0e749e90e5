"""What a part of a case waits for because it is not built yet: the one table of such parts.

Each row is a pattern of words, what remains of them until then, and what they wait for. Whoever builds that thing
empties its rows. A case whose other parts hold counts as passed; one of which nothing remains counts as not yet.
"""

import re

CLIENT_API = "the client API"
SEARCH = "search by a reader"
CIRCLES = "circles"
STREAMS = "mail, push and feeds"
PAGES = "pages of posts from elsewhere"
NODEINFO = "the names of the programs that peers run"

ROWS: tuple[tuple[str, str, str], ...] = (
    (r"the API search answers .*", "", CLIENT_API),
    (r"api GET /api/v2/search\?.*", "", CLIENT_API),
    (r"(not visible) in any timeline, search or API", r"\1", f"{SEARCH}, {CLIENT_API}"),
    (r"API (edited_at is .*)", r"\1", CLIENT_API),
    (r"(`shown` holds in) API content, in the web page and in plain-text notifications", r"\1 content", CLIENT_API),
    (
        r"(every remote string is isolated \(.*\) in page), notification text, mail, RSS and push",
        r"\1",
        f"{CLIENT_API}, {STREAMS}",
    ),
    (r"\(\w\) circle, ", "", CIRCLES),
    (r"(search by URL) in the API", r"\1", CLIENT_API),
    (r"href of a peer's /\.well-known/nodeinfo", "", NODEINFO),
    (r"api (?:PUT|GET) /api/v1/media/.*", "", CLIENT_API),
    (
        r"type unknown(?: \(or by declared type\))?, remote_url set",
        "by its declared type, its address kept",
        CLIENT_API,
    ),
    (r"the name and the declared type of an upload", "", CLIENT_API),
    (r"(every failure is) a JSON error with (4xx)", r"\1 \2", CLIENT_API),
    (r"the profile and post pages still render", "our own pages still render", PAGES),
)


def trim(text: str, waits: list[str]) -> str:
    """What of the text can be judged today; what it waits for is added to `waits`."""
    for pattern, remains, thing in ROWS:
        changed, count = re.subn(pattern, remains, text, flags=re.IGNORECASE | re.DOTALL)
        if count:
            waits.append(f"{thing}: {text}")
            text = changed
    return text.strip()
