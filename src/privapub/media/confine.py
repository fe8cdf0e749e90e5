"""What a process does to itself before it becomes another program: `python -I -S confine.py BOUNDS PROGRAM …`.

It is run as a file and imports nothing of ours, so that it starts in a few milliseconds. From here on, and for all that
the program starts: bounds of memory, CPU time, file size and open files; no sockets, no other process's memory, no
leaving of the process group by which everything is killed. Where the kernel cannot refuse calls, the bounds remain.
"""

import ctypes
import json
import os
import platform
import resource
import signal
import struct
import sys

_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _FILTER = 1, 38, 22, 2
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06  # of BPF: load a word, jump, jump, return
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | 1  # SECCOMP_RET_ALLOW, and SECCOMP_RET_ERRNO with EPERM
_X32 = 0x40000000  # a second way to make the calls of x86-64

# By machine: its name in the kernel's audit, and the numbers of socket, ptrace, setpgid, setsid, process_vm_readv,
# process_vm_writev, bpf, io_uring_setup (a ring makes sockets too) and pidfd_getfd (another's sockets).
_MACHINES = {
    "x86_64": (0xC000003E, (41, 101, 109, 112, 310, 311, 321, 425, 438)),
    "aarch64": (0xC00000B7, (198, 117, 154, 157, 270, 271, 280, 425, 438)),
}


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def seals() -> bool:
    """Whether there is a filter for this machine."""
    return sys.platform == "linux" and platform.machine() in _MACHINES


def _instructions() -> bytes:
    audit, refused = _MACHINES[platform.machine()]
    code: list[tuple[int, int, int, int]] = [
        (_LOAD, 0, 0, 4),  # which machine's calls these are
        (_EQUAL, 1, 0, audit),
        (_RETURN, 0, 0, _REFUSE),
        (_LOAD, 0, 0, 0),  # the number of the call
        (_AT_LEAST, len(refused), 0, _X32),
    ]
    code += [(_EQUAL, len(refused) - place, 0, number) for place, number in enumerate(refused)]
    code += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _REFUSE)]
    return b"".join(struct.pack("HBBI", *each) for each in code)


def _seal() -> None:
    """Refuse the calls from now on, for good; raises OSError where the kernel does not do it."""
    libc = ctypes.CDLL(None, use_errno=True)
    code = _instructions()
    program = _Program(len(code) // 8, code)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "no_new_privs")
    if libc.prctl(_PR_SET_SECCOMP, _FILTER, ctypes.byref(program), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "seccomp")


def main(bounds: dict[str, int], argv: list[str]) -> None:
    """Confine this process to the bounds, and become the program."""
    for name, most in bounds.items():
        resource.setrlimit(getattr(resource, name), (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if seals():
        _seal()
    os.execv(argv[0], argv)  # noqa: S606 - there is no shell


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), sys.argv[2:])
