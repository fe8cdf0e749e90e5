"""What a part of a case waits for because it is not built yet: the one table of such parts.

Each row is a pattern of words, what remains of them until then, and what they wait for. Whoever builds that thing
empties its rows. A case whose other parts hold counts as passed; one of which nothing remains counts as not yet.
"""

import re

CIRCLES = "circles"
FEEDS = "feeds"
PAGES = "pages of posts from elsewhere"
NODEINFO = "the names of the programs that peers run"

ROWS: tuple[tuple[str, str, str], ...] = (
    (r"(every remote string is isolated \(.*\) in page, notification text, mail), RSS (and push)", r"\1 \2", FEEDS),
    (r"\(\w\) circle, ", "", CIRCLES),
    (r"href of a peer's /\.well-known/nodeinfo", "", NODEINFO),
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
