"""The digest and the header of FEP-8fcf."""

import pytest

from privapub.federation.documents import synchronization
from privapub.federation.documents.synchronization import Synchronization
from shared import shared

FOLLOWERS = ["https://testing.example.org/users/1", "https://testing.example.org/users/2"]
DIGEST = "c33f48cd341ef046a206b8a72ec97af65079f9a3a9b90eef79c5920dce45c61f"
SAID = Synchronization(
    "https://example.org/users/1/followers", "https://example.org/users/1/followers_synchronization", DIGEST
)
HEADER = f'collectionId="{SAID.collection}", url="{SAID.url}", digest="{DIGEST}"'


def test_the_digest_is_that_of_the_example() -> None:
    assert synchronization.digest(FOLLOWERS) == DIGEST
    assert synchronization.digest(reversed(FOLLOWERS)) == DIGEST
    assert synchronization.digest([*FOLLOWERS, FOLLOWERS[0]]) == DIGEST
    assert synchronization.digest([]) == "0" * 64


def test_the_example_of_the_standard_is_read_and_written() -> None:
    assert synchronization.write(SAID) == HEADER
    assert synchronization.read(HEADER) == SAID


def test_the_text_of_the_standard_says_the_same() -> None:
    text = (shared("vectors") / "feps" / "fep-8fcf.md").read_text()
    (line,) = [line for line in text.splitlines() if line.startswith("Collection-Synchronization: ")]
    assert synchronization.read(line.partition(": ")[2]) == SAID


@pytest.mark.parametrize(
    "value",
    [
        None,
        "",
        "x",
        HEADER[:-1],
        HEADER.replace('"', ""),
        HEADER.replace(DIGEST, "c33f"),
        HEADER.replace(DIGEST, "g" * 64),
        HEADER.replace("url", "uri"),
        HEADER + ', url="https://other.test/"',
        HEADER + " " * 5000,
        'collectionId="", url="", digest=""',
    ],
)
def test_what_says_no_such_thing_says_nothing(value: str | None) -> None:
    assert synchronization.read(value) is None


def test_order_space_and_what_is_not_known_do_not_matter() -> None:
    value = f'digest="{DIGEST}",url="{SAID.url}" , more="x",collectionId="{SAID.collection}"'
    assert synchronization.read(value) == SAID
