"""Where the data that the tests read, and the project does not hold, is found."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def place() -> Path:
    """The folder of shared data: `PRIVAPUB_TEST_SHARED`, else beside the checkout."""
    return Path(os.environ.get("PRIVAPUB_TEST_SHARED") or ROOT.parent / "shared")


def where(path: str) -> Path:
    """Where a file or folder of the shared data would be; `PRIVAPUB_CASES` names the folder of `cases` apart."""
    top, _, rest = path.partition("/")
    if top == "cases" and (cases := os.environ.get("PRIVAPUB_CASES")):
        return Path(cases) / rest
    return place() / path


def shared(path: str) -> Path:
    """A file or folder of the shared data.

    Skips the test where there is none; but where `CI` is set and the folder of shared data is there, it fails: a part
    that is missing must not pass for a test that ran.
    """
    found = where(path)
    if not found.exists():
        other = path.startswith("cases/") and os.environ.get("PRIVAPUB_CASES")  # which may hold other cases
        if os.environ.get("CI") and place().exists() and not other:
            pytest.fail(f"{path} is missing in the shared test data ({place()})")
        pytest.skip(f"needs {path} of the shared test data (PRIVAPUB_TEST_SHARED names its folder)")
    return found
