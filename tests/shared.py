"""Where the data that the tests read, and the project does not hold, is found."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def place() -> Path:
    """The folder of shared data: `PRIVAPUB_TEST_SHARED`, else beside the checkout."""
    return Path(os.environ.get("PRIVAPUB_TEST_SHARED") or ROOT.parent / "shared")


def shared(path: str) -> Path:
    """A file or folder of the shared data; skips the test where there is none."""
    found = place() / path
    if not found.exists():
        pytest.skip(f"needs {path} of the shared test data (PRIVAPUB_TEST_SHARED names its folder)")
    return found
