"""The answer of a page to who has tried too often (RFC 6585, section 4)."""

import math

from starlette.responses import Response


def later(wait: float) -> str:
    """The sentence for who has to wait so many seconds (pure)."""
    minutes = math.ceil(wait / 60)
    return f"Too many attempts. Try again in {minutes} minute{'' if minutes == 1 else 's'}."


def too_often(page: Response, wait: float) -> Response:
    """This page, which says so, as that answer."""
    page.status_code = 429
    page.headers["Retry-After"] = str(math.ceil(wait))
    return page
