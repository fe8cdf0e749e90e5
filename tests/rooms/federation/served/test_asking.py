import pytest

from privapub.federation.served.asking import media_type, wants_document

LD_JSON = 'application/ld+json; profile="https://www.w3.org/ns/activitystreams"'


@pytest.mark.parametrize(
    ("accept", "document"),
    [
        ("application/activity+json", True),
        (LD_JSON, True),
        (f"application/activity+json, {LD_JSON}", True),
        ("application/activity+json, text/html;q=0.1", True),
        ('application/activity+json, application/ld+json; profile="x", */*;q=0.1', True),
        ("application/activity+json, */*", True),
        ("application/json", True),
        ("APPLICATION/ACTIVITY+JSON", True),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", False),
        ("text/html, application/activity+json", False),
        ("text/html, application/activity+json;q=0.5", False),
        ("application/activity+json;q=0", False),
        ("*/*", False),
        ("", False),
        (None, False),
        ("garbage;;;,,,q=", False),
    ],
)
def test_who_wants_a_document(accept: str | None, document: bool) -> None:
    assert wants_document(accept) is document


def test_the_name_that_was_asked_for_first_is_given() -> None:
    assert media_type("application/ld+json") == LD_JSON
    assert media_type("application/activity+json, application/ld+json") == "application/activity+json"
    assert media_type("application/ld+json;q=0, application/activity+json") == "application/activity+json"
    assert media_type(None) == "application/activity+json"
