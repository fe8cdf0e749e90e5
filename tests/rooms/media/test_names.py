"""Names of stored files."""

import pytest

from privapub.media import names


@pytest.mark.parametrize("kind", sorted(names.ENDINGS))
def test_a_name_says_as_what_it_is_served_and_nothing_else(kind: str) -> None:
    one, other = names.new(kind), names.new(kind)
    assert one != other
    assert names.content_type(one) == kind
    assert names.place(one).endswith(f"/{one}")


@pytest.mark.parametrize(
    "name",
    ["", "a.jpg", "../" + "a" * 22 + ".jpg", "a" * 22, "a" * 22 + ".svg", "a" * 22 + ".jpg\n", "a" * 22 + ".html",
     "a" * 22 + ".JPG", "a" * 22 + "/b.jpg"],
)  # fmt: skip
def test_nothing_else_is_a_name(name: str) -> None:
    assert names.content_type(name) is None


def test_an_upload_that_is_not_processed_is_never_served() -> None:
    assert names.content_type(names.new(None)) is None
