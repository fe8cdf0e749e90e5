"""From which network each request comes, and what it may cost, told to whoever limits what is asked and fetched."""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from privapub import budget
from privapub import scope as http_scope
from privapub.limits import visit
from privapub.limits.limits import Limits


class Visits:
    """The application, with each request a visit (`limits.visit`)."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        """Wrap an application."""
        self.app = app
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        client = scope.get("client")
        said = Headers(scope=scope).getlist("x-forwarded-for")
        visit.begin(self._limits.sender(client[0] if client else None, said))
        with http_scope.cause(http_scope.READER, budget.REQUEST):
            await self.app(scope, receive, send)
