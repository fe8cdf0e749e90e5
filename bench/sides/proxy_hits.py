"""usage: proxy_hits.py URL ours COUNT | static COUNT: COUNT readings of one picture of 40 KiB.

`ours`: a picture elsewhere that lies in the cache, at its address of the proxy. `static`: the same bytes in a folder
that Starlette serves. Tells the processor's milliseconds for one, of the process that serves; whoever reads is another,
over connections that stay open.
"""

import asyncio
import random
import sys
import tempfile
import time
from pathlib import Path

import uvloop
from posting import opened
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles
from starting import told
from strangers_door import answering, post, serving

from privapub import app
from privapub.media import names
from privapub.proxy import cache
from privapub.proxy.addresses import Wanted
from privapub.server import Server

SIZE = 40 * 1024
CONNECTIONS = 4
WANTED = Wanted("picture", "https://there.example/cat.jpg")
PICTURE = random.Random(7).randbytes(SIZE)  # noqa: S311 - what it shows does not matter


async def ours(url: str, count: int) -> None:
    """From the cache."""
    async with opened(url) as (server, _persona), serving(server) as port:
        address = await _stored(server)
        await _read(port, address.removeprefix(server.base_url), count)


async def static(count: int) -> None:
    """From a folder."""
    with tempfile.TemporaryDirectory(prefix="privapub-bench-static-") as folder:
        await asyncio.to_thread(Path(folder, "cat.jpg").write_bytes, PICTURE)
        application = Starlette(routes=[Mount("/static", StaticFiles(directory=folder))])
        app.calm_collector()
        async with answering(application) as port:
            await _read(port, "/static/cat.jpg", count)


async def _stored(server: Server) -> str:
    """Put the picture into the cache as the job does that fetched it; the address at which it is shown."""
    await app.check_ready(server)
    urls = await server.proxy.its_urls()
    assert urls is not None  # noqa: S101 - it is ready
    name = names.new("image/jpeg")
    file = {
        "role": "original", "name": name, "media_type": "image/jpeg", "bytes": SIZE,
        "width": 640, "height": 480,
    }  # fmt: skip
    async with server.database.write() as tx:
        await cache.reserve(tx, urls.key(WANTED), "there.example", [file], SIZE, 1 << 30)
    with tempfile.NamedTemporaryFile() as source:
        source.write(PICTURE)
        source.flush()
        await server.proxy.folder.keep(name, Path(source.name))
    async with server.database.write() as tx:
        await cache.settle(tx, urls.key(WANTED), [file])
    return urls.of(WANTED.use, WANTED.url)


async def _read(port: int, path: str, count: int) -> None:
    request = f"GET {path} HTTP/1.1\r\nHost: here.example\r\nAccept: image/*\r\nUser-Agent: reader\r\n\r\n".encode()
    each = count // CONNECTIONS
    batches = [[request] * each] * CONNECTIONS
    await post(port, [batch[:20] for batch in batches])  # what is loaded and looked up once is not counted
    cpu = time.process_time()
    found = await post(port, batches)
    cpu = time.process_time() - cpu
    if found.get("200") != each * CONNECTIONS:
        raise SystemExit(f"answered {found}")
    told({"cpu_ms": 1000 * cpu / (each * CONNECTIONS)})


if __name__ == "__main__":
    uvloop.run(static(int(sys.argv[2])) if sys.argv[1] == "static" else ours(sys.argv[1], int(sys.argv[3])))
