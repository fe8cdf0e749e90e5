"""What the programs of the people here are told when they are woken: by push, which their push service cannot read."""

import base64
import json
import os
from typing import Any

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from cases import clients
from cases.play import Play
from privapub.actors.read import Actor
from privapub.notifications import push, web_push
from privapub.notifications.push import ALERTS

HOST = "push.test"
PATH = "/1"


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


async def listens(play: Play, who: Actor) -> None:
    """From now on the program of somebody here is woken by everything that they are told."""
    await play.site(HOST)
    key, secret = ec.generate_private_key(ec.SECP256R1()), os.urandom(16)
    play.notes["push key"], play.notes["push secret"] = key, secret
    async with play.world.database.write() as tx:
        await push.ensure_key(tx, web_push.new_key())
    keys = {"p256dh": _text(key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint))}
    await clients.told(
        play.world,
        who,
        "POST",
        "/api/v1/push/subscription",
        {
            "subscription": {
                "endpoint": f"https://{HOST}{PATH}",
                "keys": {**keys, "auth": _text(secret)},
                "standard": True,
            },
            "data": {"alerts": dict.fromkeys(ALERTS, True), "policy": "all"},
        },
    )


async def hears_of(play: Play, who: Actor, whom: Actor) -> None:
    """Somebody here wants to be told of all that somebody writes."""
    await clients.told(play.world, who, "POST", f"/api/v1/accounts/{whom.id}/follow", {"notify": True})


def told(play: Play) -> list[dict[str, Any]]:
    """What the program was told, in the order in which it came."""
    return [
        json.loads(
            http_ece.decrypt(
                each.body,
                private_key=play.notes["push key"],
                auth_secret=play.notes["push secret"],
                version="aes128gcm",
            )
        )
        for each in play.received(HOST, method="POST")
    ]
