"""What the peer was told at its start, and what it remembers: people, keys, notes, follows, requests."""

import argparse
import contextlib
import json
import time
import uuid
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HANDLES = ("open", "locked", "refusing", "leaving")

arguments = argparse.ArgumentParser()
arguments.add_argument("--port", type=int, required=True)
arguments.add_argument("--control", type=int, required=True)
arguments.add_argument("--host", default="127.0.0.1")
arguments.add_argument("--state", type=Path, required=True)
arguments.add_argument("--patient", action="store_true", help="take a tag that stands alone, as Fedify sends it")
args = arguments.parse_args()
ORIGIN = f"http://{args.host}:{args.port}"


def _empty() -> dict:
    return {
        "keys": {}, "notes": {}, "received": [], "wire": [], "acts": {}, "stamps": {}, "pins": [], "moved": {},
        "files": {},
        "followers": {handle: {} for handle in HANDLES},
        "following": {handle: {} for handle in HANDLES},
    }  # fmt: skip


state = json.loads(args.state.read_text()) if args.state.exists() else _empty()
behaviour = {"answer": 429, "retry_after": None, "times": 0}


def save() -> None:
    args.state.write_text(json.dumps(state))


def _new_key() -> str:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()


for _handle in HANDLES:
    state["keys"].setdefault(_handle, _new_key())
save()
private_keys = {h: serialization.load_pem_private_key(state["keys"][h].encode(), None) for h in HANDLES}


def actor_id(handle: str) -> str:
    return f"{ORIGIN}/users/{handle}"


def fresh(kind: str) -> str:
    return f"{ORIGIN}/{kind}/{uuid.uuid4()}"


def accepted(side: str, handle: str) -> dict:
    return {uri: it for uri, it in state[side][handle].items() if it["state"] == "accepted"}


class Recorded:
    """Keeps a line of every request, and answers inbox posts as it was told to."""

    def __init__(self, inner: ASGIApp) -> None:
        self.inner = inner

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.inner(scope, receive, send)
            return
        request = Request(scope, receive)
        body = await request.body()
        status = 0

        async def again() -> Message:
            return {"type": "http.request", "body": body, "more_body": False}

        async def seen(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        answer = self.inner
        if request.method == "POST" and request.url.path.endswith("/inbox") and behaviour["times"] > 0:
            behaviour["times"] -= 1
            wait = {} if behaviour["retry_after"] is None else {"Retry-After": str(behaviour["retry_after"])}
            answer = Response("as told", behaviour["answer"], wait)
        try:
            await answer(scope, again, seen)
        finally:
            self.note(request, body, status)

    @staticmethod
    def note(request: Request, body: bytes, status: int) -> None:
        said = {}
        with contextlib.suppress(ValueError):
            said = json.loads(body)
        headers = request.headers
        signed = "rfc9421" if "signature-input" in headers else "cavage" if "signature" in headers else "none"
        state["wire"].append(
            {"at": time.time(), "method": request.method, "path": request.url.path, "status": status,
             "signed": signed, "type": said.get("type"), "id": said.get("id"), "proof": "proof" in said,
             "agent": headers.get("user-agent")}
        )  # fmt: skip
        save()
