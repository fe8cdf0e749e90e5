"""The page of the reference names what is served."""

import re
from pathlib import Path
from typing import Any

from asgi import serving
from privapub.database.connect import Database
from privapub.federation import routes

PAGE = Path(__file__).parents[4] / "docs" / "reference" / "federation-served.md"


async def test_every_address_is_described(database: Database) -> None:
    text = PAGE.read_text(encoding="utf-8")
    async with serving(database) as sut:
        paths = [route.path for route in routes.routes(sut.server)]
    assert len(paths) > 10
    for path in paths:
        shown = path.replace("/nodeinfo/{version}", "/nodeinfo/2.1").replace("/actors/{token}/following", "/following")
        assert f"`{shown}" in text or f"POST {shown}`" in text, path


def _written() -> tuple[set[str], set[str]]:
    source = Path(routes.__file__).parent / "documents"
    texts = [(source / name).read_text(encoding="utf-8") for name in ("write_actor.py", "write_post.py")]
    actor, post = (set(re.findall(r'^        "(@?[a-zA-Z]+)":', text, re.MULTILINE)) for text in texts)
    return actor, post


def test_every_field_that_is_written_is_described() -> None:
    text = PAGE.read_text(encoding="utf-8")
    fields = text.partition("## Fields")[2]
    described: Any = set(re.findall(r"`([a-zA-Z.]+)`", fields)) | {"endpoints", "@context", "type"}
    for written in _written():
        assert len(written) > 10
        assert written <= described
