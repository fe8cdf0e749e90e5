"""A hostile server, and a control port by which it is told what to try.

usage: python peer.py --victim ORIGIN --innocent PORT --evil PORT --control PORT
"""

import argparse
import asyncio
import contextlib
import importlib
from datetime import UTC, datetime
from typing import Any

import aiohttp
from aiohttp import web
from enemy import ATTACKS, Enemy
from exhausting import costly_pages
from people import Host, create, note
from reaching import not_asked_for, while_blocked

for _part in ("forgeries", "transport", "reaching", "exhausting"):
    importlib.import_module(_part)  # each puts its attacks into the table

TRAPS = ("127.0.0.2", "127.0.0.3", "127.9.9.9", "::1")


async def serve(app: Any, port: int, address: str = "127.0.0.1") -> None:
    """Listen, for as long as the process lives."""
    runner = web.AppRunner(app) if isinstance(app, web.Application) else web.ServerRunner(web.Server(app))
    await runner.setup()
    await web.TCPSite(runner, address, port).start()


async def lay(enemy: Enemy, address: str, port: int = 0) -> None:
    """A trap: whoever connects is noted."""

    async def met(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        enemy.trapped.add(f"{address}:{port}")
        writer.close()

    with contextlib.suppress(OSError):  # without IPv6 there is no ::1
        server = await asyncio.start_server(met, address, port)
        port = server.sockets[0].getsockname()[1]
        enemy.traps.append((f"[{address}]" if ":" in address else address, port))
        enemy.servers.append(server)


def control(enemy: Enemy) -> web.Application:
    """What the town may ask and tell."""
    app = web.Application(client_max_size=1 << 22)

    async def ready(_request: web.Request) -> web.Response:
        people = {it.handle: it.uri for it in (enemy.carol, enemy.mallory, enemy.eve)}
        return web.json_response({"people": people})

    async def begin(request: web.Request) -> web.Response:
        return web.json_response(await enemy.begin(await request.json()))

    async def attack(request: web.Request) -> web.Response:
        name = (await request.json())["name"]
        got = [each for each in await ATTACKS[name](enemy) or [] if each]
        return web.json_response({"got": got})

    async def trapped(_request: web.Request) -> web.Response:
        return web.json_response({"trapped": sorted(enemy.trapped)})

    async def pages(_request: web.Request) -> web.Response:
        return web.json_response({"pages": costly_pages(enemy)})

    async def blocked(_request: web.Request) -> web.Response:
        got = [each for each in await while_blocked(enemy) if each]
        asked = sum(enemy.evil.asked.values())
        for what in not_asked_for(enemy):
            await enemy.say(what, by=enemy.carol)
        return web.json_response({"got": got, "asked": asked})

    async def honest(_request: web.Request) -> web.Response:
        now = datetime.now(UTC).isoformat()  # the newest in the timeline
        post = note(enemy.carol, f"{enemy.carol.uri}/n/honest", to=[f"{enemy.carol.uri}/followers"], published=now)
        return web.json_response(
            {"uri": post["id"], "status": await enemy.say(create(enemy.carol, post), by=enemy.carol)}
        )

    async def heard(_request: web.Request) -> web.Response:
        heard = [*enemy.evil.heard, *enemy.innocent.heard]
        signed = [enemy.evil.signed, enemy.innocent.signed]
        places = [sorted({*signed[0].get(each, ()), *signed[1].get(each, ())}) for each in {**signed[0], **signed[1]}]
        return web.json_response(
            {"heard": heard, "read": enemy.read_bodies, "signed": places, "asked": sum(enemy.evil.asked.values())}
        )

    app.add_routes(
        [web.get("/control/ready", ready), web.post("/control/begin", begin), web.post("/control/attack", attack),
         web.get("/control/heard", heard), web.get("/control/trapped", trapped), web.post("/control/pages", pages),
         web.post("/control/blocked", blocked), web.post("/control/honest", honest)]
    )  # fmt: skip
    return app


async def main() -> None:
    """Listen on all ports, for ever."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--victim", required=True)
    for name in ("innocent", "evil", "control"):
        parser.add_argument(f"--{name}", type=int, required=True)
    args = parser.parse_args()
    innocent, evil = Host(f"http://127.0.0.1:{args.innocent}"), Host(f"http://localhost:{args.evil}")
    async with aiohttp.ClientSession(auto_decompress=False, cookie_jar=aiohttp.DummyCookieJar()) as session:
        enemy = Enemy(args.victim, innocent, evil, session)
        for address in TRAPS:
            await lay(enemy, address)
        await serve(innocent.answer, args.innocent)
        await serve(evil.answer, args.evil)
        await serve(control(enemy), args.control)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
