"""Why a document cannot be used."""

from privapub.errors import InvalidInput


class BadDocument(InvalidInput):
    """This document cannot be understood."""

    def __init__(self, reason: str, sentence: str = "") -> None:
        """`reason` is a short word for counting and reports, such as `not-json` or `bad-id`."""
        super().__init__(sentence or f"This document cannot be used: {reason}.")
        self.reason = reason
