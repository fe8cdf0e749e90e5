"""The sockets on which the server is asked: bound before anything heavy is loaded, and kept while it starts anew."""

import errno
import socket

from privapub.errors import OperatorError
from privapub.setting_texts import Listen

WAITING = 2048  # connections that may wait to be answered: while a process starts, nobody answers them


def listening(listen: Listen) -> list[socket.socket]:
    """Sockets that listen on every address that the host has.

    Raises OperatorError where the port is taken or the address is not this machine's.
    """
    try:
        found = socket.getaddrinfo(listen.host, listen.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except socket.gaierror:
        raise OperatorError(f"There is no address for {listen.host}.", "Look at PRIVAPUB_LISTEN.") from None
    bound: list[socket.socket] = []
    problem: OSError | None = None
    for family, kind, protocol, _name, address in dict.fromkeys(found):
        one = socket.socket(family, kind, protocol)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        try:
            one.bind(address)
            one.listen(WAITING)
            bound.append(one)
        except OSError as error:
            one.close()
            problem = error
            if error.errno not in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT):
                break
    if not bound or (problem and problem.errno not in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)):
        for one in bound:
            one.close()
        raise _cannot_listen(listen, problem)
    return bound


def _cannot_listen(listen: Listen, problem: OSError | None) -> OperatorError:
    number = problem.errno if problem else None
    if number == errno.EADDRINUSE:
        return OperatorError(
            f"Port {listen.port} on {listen.host} is taken.",
            "Stop what listens there, or choose another with PRIVAPUB_LISTEN=host:port.",
        )
    if number == errno.EACCES:
        return OperatorError(f"Port {listen.port} may not be used.", "Ports below 1024 need a right of their own.")
    return OperatorError(f"{listen} is no address of this machine.", "Look at PRIVAPUB_LISTEN.")
