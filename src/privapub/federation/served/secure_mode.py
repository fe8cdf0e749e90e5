"""Secure mode (`PRIVAPUB_SECURE_MODE`): whoever reads a document says by a signature who they are.

Without it a rule about a server, or a persona's block, holds only for those who are honest: whoever does not sign
cannot be told from anybody. With it, what is for everyone is for everyone who signs.

The one document that stays open is that of the application actor. Its key signs our fetches; a server that checks such
a signature must be able to read it without having to sign itself, or two servers in secure mode would ask each other
for ever. From there each can check the other's signature, and so read the key of every persona.
"""

from starlette.requests import Request
from starlette.responses import Response

from privapub.actors.addresses import Addresses
from privapub.federation.served.answer import refused
from privapub.federation.served.asking import viewer
from privapub.federation.served.counted import Served, counted
from privapub.federation.served.refusal import unless_blocked
from privapub.server import Server

# Kinds of answers that stay open: by them one finds the way here, and they tell nothing that a page does not tell.
_OPEN = frozenset({"webfinger", "host-meta", "nodeinfo"})


def for_servers(kind: str, served: Served) -> Served:
    """The same answer as other servers get it: counted, withheld from the blocked, in secure mode for who signs."""
    return counted(kind, unless_blocked(served if kind in _OPEN else _signed_only(served)))


def _signed_only(served: Served) -> Served:
    """The same answer, but in secure mode 401 for whoever did not sign, in place of what everybody may read else.

    What is not for everybody is answered as ever, as is what is not there (NotFound): the two stay alike. Raises
    Unavailable where it cannot be told now who signed, whatever the address holds.
    """

    async def answering(server: Server, request: Request) -> Response:
        if not server.settings.secure_mode or _is_open(server, request):
            return await served(server, request)
        asker = await viewer(server, request)
        answer = await served(server, request)
        return answer if asker is not None else refused(401, "Whoever reads here signs the request.")

    return answering


def _is_open(server: Server, request: Request) -> bool:
    return server.base_url + request.url.path == Addresses(server.base_url).application
