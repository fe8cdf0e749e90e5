"""Files: what people here attach to their notes and serve, and what apkit reads of those of others."""

import base64
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import apkit.models
import apmodel.loader
from apkit.models import Document, Emoji, Image
from gaps import Client
from remembered import fresh, save, state


def attachment_of(it: dict) -> Document:
    """An attachment as `post` is told of it. Of a file apkit's models have no more than its address and its name; what
    else they are given they pass on.
    """
    return getattr(apkit.models, it["type"])(
        url=it["url"], name=it["alt"], mediaType=it["media_type"], width=it["width"], height=it["height"],
        blurhash=it.get("blurhash"), focalPoint=it.get("focal_point"),
    )  # fmt: skip


def emoji_of(it: dict) -> Emoji:
    return Emoji(id=f"{it['url']}#emoji", name=it["name"], icon=Image(url=it["url"], mediaType=it["media_type"]))


async def keep(ask: dict) -> dict:
    url = fresh("files")
    state["files"][url] = {"path": ask["path"], "media_type": ask["media_type"]}
    save()
    return {"url": url}


def served(url: str) -> tuple[bytes, str] | None:
    it = state["files"].get(url)
    return it and (Path(it["path"]).read_bytes(), it["media_type"])


async def decoded(ask: dict) -> dict:
    """What apkit makes of the files and the emojis of an activity that arrived."""
    raw = next(it for it in state["received"] if it.get("id") == ask["id"])
    activity = apmodel.loader.load(raw)
    said = activity.object if activity.type == "Create" else activity
    files = [it for it in said.attachment if isinstance(it, Document)]
    emojis = [it for it in said.tag if isinstance(it, Emoji)]
    return {
        "attachments": [
            {"media_type": _more(it, "mediaType"), "url": it.url, "alt": it.name or "", "width": _more(it, "width"),
             "height": _more(it, "height"), "blurhash": _more(it, "blurhash"),
             "focal_point": _more(it, "focalPoint"), "preview": it.icon and it.icon.url}
            for it in files
        ],
        "emojis": [{"name": it.name, "url": it.icon.url, "media_type": _more(it.icon, "mediaType")} for it in emojis],
    }  # fmt: skip


def _more(it: Document, name: str) -> Any:
    return (it.model_extra or {}).get(name)


async def download(ask: dict) -> dict:
    async with Client() as client, client.get(ask["url"]) as response:
        bytes_ = base64.b64encode(await response.read()).decode()
        return {"status": response.status, "media_type": response.headers.get("Content-Type"), "bytes": bytes_}


FILES: dict[str, Callable[[dict], Awaitable[dict]]] = {"keep": keep, "decoded": decoded, "download": download}
