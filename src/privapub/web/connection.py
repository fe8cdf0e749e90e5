"""One connection of a client, as the web server has it, with a bound on what it may send and for how long.

The server itself bounds bodies that are read, by whoever reads them. Here is bounded what nobody reads: a head that
does not end, the rest of a body whose request has been answered, and an answer that its client does not take.
"""

from asyncio import TimerHandle, Transport

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_TIME = 10.0  # seconds from the first byte of a request (of the first: from the connection) to the end of its head
HEAD_LIMIT = 64 * 1024  # bytes
REST_TIME = 1.0  # seconds in which the rest of a body that is not read must have come
REST_LIMIT = 1 << 20
IDLE_TIME = 5.0  # seconds until the next request, where that rest has come
STALL_TIME = 60.0  # seconds in which a client that is sent more than it takes must have taken it: it holds files open


class Connection(HttpToolsProtocol):
    """The server's own, that is closed where one of the bounds is passed."""

    _timer: TimerHandle | None = None
    _stalled: TimerHandle | None = None
    _in_head = True
    _heads = 0  # that have come to their end
    _unread = 0  # bytes of the head, or of the rest

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """A client is there, and has not said anything."""
        super().connection_made(transport)
        self._allow(HEAD_TIME)

    def connection_lost(self, exc: Exception | None) -> None:
        """The client is gone."""
        self._allow(None)
        self._goes_on()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """The client takes nothing at the moment."""
        super().pause_writing()
        self._goes_on()
        self._stalled = self.loop.call_later(STALL_TIME, self._end)

    def resume_writing(self) -> None:
        """The client has taken most of it."""
        super().resume_writing()
        self._goes_on()

    def data_received(self, data: bytes) -> None:
        """More has come."""
        if self._in_head and self._timer is None:  # of another request on the same connection
            self._allow(HEAD_TIME)
        heads, in_head = self._heads, self._in_head  # as it was: the end of a body begins another head
        super().data_received(data)
        if self._heads != heads:
            return  # what else came with the end of a head is little, since it came at once
        if in_head:
            self._count(len(data), HEAD_LIMIT)
        elif self.cycle is not None and self.cycle.response_complete:
            self._count(len(data), REST_LIMIT)

    def on_headers_complete(self) -> None:
        """The head of a request is there."""
        self._in_head, self._unread = False, 0
        self._heads += 1
        self._allow(None)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """A request is there, to its end."""
        super().on_message_complete()
        self._in_head, self._unread = True, 0
        # The rest of what was answered before it had come has ended the wait of the server itself for the next request.
        over = self.cycle is not None and self.cycle.response_complete  # None: the first request is for a WebSocket
        self._allow(IDLE_TIME if over else None)

    def handle_websocket_upgrade(self) -> None:
        """From here on it is a WebSocket, and none of this bounds it."""
        self._allow(None)
        self._goes_on()
        super().handle_websocket_upgrade()

    def on_response_complete(self) -> None:
        """A request was answered: what else there is of its body, nobody reads."""
        super().on_response_complete()
        if not self._in_head and self.cycle.response_complete:
            self._allow(REST_TIME)

    def _allow(self, seconds: float | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if seconds is None else self.loop.call_later(seconds, self._end)

    def _goes_on(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
        self._stalled = None

    def _count(self, more: int, limit: int) -> None:
        self._unread += more
        if self._unread > limit:
            self._end()

    def _end(self) -> None:
        self._timer = None
        if not self.transport.is_closing():
            self.transport.abort()
