"""Why a document cannot be used, or only in part."""

from privapub.errors import InvalidInput

# A property, and a sentence that says what was wrong with it.
Note = tuple[str, str]


class BadDocument(InvalidInput):
    """This document cannot be understood."""

    def __init__(self, reason: str, sentence: str = "", notes: tuple[Note, ...] = ()) -> None:
        """`reason` is a short word for counting and reports, such as `not-json` or `bad-id`.

        `notes` tells the properties that could not be read before it was given up.
        """
        super().__init__(sentence or f"This document cannot be used: {reason}.")
        self.reason = reason
        self.notes = notes
