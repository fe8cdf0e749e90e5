"""The programs that read and write films and sounds: looked for once, when a process starts."""

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from privapub.errors import OperatorError

NEEDED = ("libx264", "aac")  # the encoders without which it is of no use
HINT = "Install it (Debian: ffmpeg), or name the program with PRIVAPUB_FFMPEG."
_VERSION = re.compile(r"ffmpeg version (\S+)")
_LONGEST = 30  # seconds that a program may take to tell its version


@dataclass(frozen=True)
class Programs:
    """Where ffmpeg and ffprobe are, and which version they are of."""

    ffmpeg: Path
    ffprobe: Path
    version: str


def find(setting: str) -> Programs | None:
    """The ffmpeg and the ffprobe beside it: the program that `setting` names, or ("") the one on the PATH.

    None where there is none: films and sounds are refused then. Raises OperatorError where there is one that cannot be
    used, or where the setting names none.
    """
    found = shutil.which(setting or "ffmpeg")
    if found is None:
        if setting:
            raise OperatorError(f"PRIVAPUB_FFMPEG names {setting}, which is no program.", HINT)
        return None
    beside = Path(found).with_name("ffprobe")
    ffprobe = str(beside) if beside.exists() else shutil.which("ffprobe")
    if ffprobe is None:
        raise OperatorError(f"There is {found}, but no ffprobe beside it.", HINT)
    version = _VERSION.match(_said(found, "-version"))
    if version is None:
        raise OperatorError(f"{found} does not tell its version.", HINT)
    encoders = _said(found, "-hide_banner", "-encoders").split()
    if lacking := [name for name in NEEDED if name not in encoders]:
        raise OperatorError(f"{found} was built without {' and '.join(lacking)}.", HINT)
    return Programs(Path(found).absolute(), Path(ffprobe).absolute(), version[1])


def _said(program: str, *arguments: str) -> str:
    command = [program, *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_LONGEST, check=False)  # noqa: S603 - the operator's own program
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return ""
    return done.stdout
