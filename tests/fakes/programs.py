"""Programs of the machine that some tests need: a browser, Node."""

import os
import shutil

import pytest


def needed(name: str) -> str:
    """Where a program is. Without it the test is skipped; but where everything must be tested it fails."""
    found = shutil.which(name)
    if found is None:
        said = f"there is no {name} on this machine"
        if os.environ.get("CI"):
            pytest.fail(said)
        pytest.skip(said)
    return found
