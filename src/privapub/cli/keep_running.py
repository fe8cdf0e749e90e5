"""A small parent that keeps its child running.

    parent ──► starts ──► ready ──► told to stop ──► ended in order ──► its exit status is the parent's
                 ▲          │ killed, crashed, silent
                 └── pause ◄┘

The parent loads nothing heavy, and holds what must outlive the child: the sockets that others connect to. Between the
two is one line (a pair of sockets). On it the child beats, says that it is ready, and says that it ends on purpose;
the parent passes on each signal to stop. Whoever reads the end of the line knows that the other is gone: the child
ends at once then, so that no kill leaves anything running.

What ends without having said so is started again, and so is a child that does not beat: something blocks its loop. An
error of the operator (settings, a taken port, an old schema) ends all, unless the child was once ready: then it can
only be the world that has changed for a while, such as a database that is away.
"""

import os
import select
import signal
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from privapub import clock
from privapub.cli.output import fail
from privapub.errors import PrivaPubError

BEAT_EVERY = 5.0
SILENCE = 120.0
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 30.0
OVERSLEPT = 1.0
LONG_LIFE = 60.0  # whoever lived as long had no trouble with starting

BEAT, READY, ENDS, STOP = b".", b"r", b"!", b"s"
STOPPING = tuple(one for one in (signal.SIGTERM, signal.SIGINT) if one)


class Line:
    """The child's end of the line."""

    def __init__(self, end: socket.socket) -> None:
        """Listen from now on; without the parent, this process ends."""
        self._end = end
        self._lock = threading.Lock()
        self._stops = 0
        self._call: Callable[[], None] | None = None
        threading.Thread(target=self._hear, name="line to the parent", daemon=True).start()

    def listen(self, call: Callable[[], None]) -> None:
        """Call this, from another thread, each time the parent was told to stop: for past times at once."""
        with self._lock:
            self._call = call
            past = self._stops
        for _ in range(past):
            call()

    def beat(self) -> None:
        """Whoever calls this is alive."""
        self._say(BEAT)

    def ready(self) -> None:
        """It has started, and does what it is there for."""
        self._say(READY)

    def ends(self) -> None:
        """It ends now, and on purpose."""
        self._say(ENDS)

    def _say(self, word: bytes) -> None:
        with suppress(OSError):  # a parent that is gone, or that has not read for days: the other thread sees to it
            self._end.send(word, getattr(socket, "MSG_DONTWAIT", 0))

    def _hear(self) -> None:
        while True:
            try:
                heard = self._end.recv(64)
            except OSError:
                heard = b""
            if not heard:
                os._exit(1)
            for _ in heard:
                with self._lock:
                    self._stops += 1
                    call = self._call
                if call is not None:
                    call()


@dataclass
class Life:
    """What was seen of one child, from its start to its end."""

    pid: int
    line: socket.socket
    began: float
    heard: float
    ready: bool = False
    on_purpose: bool = False
    silent: bool = False
    status: int | None = None  # as os.waitpid gives it


@dataclass
class Keeper:
    """Starts the child, again and again if need be. The times are in seconds."""

    work: Callable[[Line], None]
    say: Callable[[str], None]
    silence: float = SILENCE
    longest_pause: float = LONGEST_PAUSE
    stops: int = 0
    was_ready: bool = False
    _wake: tuple[socket.socket, socket.socket] = field(default_factory=socket.socketpair)

    def keep(self) -> int:
        """Keep the child running until it is told to stop or ends on purpose; the exit status of this process."""
        self._hear_signals()
        pause = 0.0
        while True:
            life = self._live()
            self.was_ready = self.was_ready or life.ready
            if self.stops or (life.on_purpose and not (exit_status(life) and self.was_ready)):
                return exit_status(life)
            pause = pause_after(pause, clock.monotonic() - life.began, self.longest_pause)
            self.say(f"{what_happened(life, self.silence)}: starting anew in {pause:g} s")
            if self._told_within(pause):
                return exit_status(life)

    def _hear_signals(self) -> None:
        ours, theirs = self._wake
        ours.setblocking(False)
        theirs.setblocking(False)
        for one in (*STOPPING, signal.SIGCHLD):
            signal.signal(one, _nothing)
        signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)

    def _live(self) -> Life:
        ours, theirs = socket.socketpair()
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if pid == 0:
            ours.close()
            self._be_the_child(theirs)
        theirs.close()
        ours.setblocking(False)
        now = clock.monotonic()
        life = Life(pid, ours, began=now, heard=now)
        with ours:
            self._pass_on(life, self.stops)
            while life.status is None:
                self._watch(life)
        return life

    def _be_the_child(self, end: socket.socket) -> None:
        signal.set_wakeup_fd(-1)
        for one in self._wake:
            one.close()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        # A terminal sends it to both; the parent passes it on, and twice would mean something else.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        line = Line(end)
        try:
            self.work(line)
        except PrivaPubError as problem:
            fail(problem, as_json=False)
            line.ends()
            sys.exit(1)
        line.ends()
        sys.exit(0)

    def _watch(self, life: Life) -> None:
        """Wait for the next thing to happen, and see what it is."""
        left = life.heard + self.silence - clock.monotonic()
        if left <= 0:
            life.silent = True
            os.kill(life.pid, signal.SIGKILL)
            left = self.silence
        open_line = [life.line] if life.line.fileno() >= 0 else []
        began = clock.monotonic()
        select.select([*open_line, self._wake[0]], [], [], left)
        if clock.monotonic() - began > left + OVERSLEPT:  # the whole machine stood still, not the child alone
            life.heard = clock.monotonic()
        self._pass_on(life, self._signals())
        pid, status = os.waitpid(life.pid, os.WNOHANG)
        _read(life)  # after the look whether it has ended: so nothing that it said last is missed
        if pid:
            life.status = status

    def _signals(self) -> int:
        """How often it was told to stop since the last look."""
        heard = 0
        with suppress(BlockingIOError):
            while signals := self._wake[0].recv(256):
                heard += sum(number in STOPPING for number in signals)
        self.stops += heard
        return heard

    @staticmethod
    def _pass_on(life: Life, times: int) -> None:
        with suppress(OSError):  # it may be gone already
            if times:
                life.line.send(STOP * times)

    def _told_within(self, seconds: float) -> bool:
        """Wait; whether it was told to stop."""
        until = clock.monotonic() + seconds
        while (left := until - clock.monotonic()) > 0 and not self.stops:
            select.select([self._wake[0]], [], [], left)
            self._signals()
        return bool(self.stops)


def _read(life: Life) -> None:
    with suppress(BlockingIOError):
        while life.line.fileno() >= 0:
            try:
                words = life.line.recv(256)
            except ConnectionError:
                words = b""
            if not words:
                life.line.close()  # its end comes by the signal: somebody whom it started may still hold the line
                continue
            life.heard = clock.monotonic()
            life.ready = life.ready or READY in words
            life.on_purpose = life.on_purpose or ENDS in words


def _nothing(_number: int, _frame: object) -> None:
    """The number of the signal is read from the wake-up socket."""


def pause_after(pause: float, lived: float, longest: float = LONGEST_PAUSE) -> float:
    """Seconds to wait before the next start, after the pause before and how long the last one lived. Pure."""
    return FIRST_PAUSE if pause == 0.0 or lived >= LONG_LIFE else min(pause * 2, longest)


def exit_status(life: Life) -> int:
    """The exit status to end with after this life: as a shell would give it."""
    code = os.waitstatus_to_exitcode(life.status or 0)
    if code == 0 and not life.on_purpose:
        return 1
    return code if code >= 0 else 128 - code


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # most real-time signals have none
        return f"signal {number}"


def what_happened(life: Life, silence: float) -> str:
    """One clause about how a child ended."""
    code = os.waitstatus_to_exitcode(life.status or 0)
    if life.silent:
        return f"process {life.pid} did not give a sign of life for {silence:g} s and was killed"
    if code < 0:
        return f"process {life.pid} was killed by {_name(-code)}"
    return f"process {life.pid} ended by itself, with status {code}"
