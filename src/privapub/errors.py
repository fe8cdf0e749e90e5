"""Every error that a person or a peer may be told of, in one tree.

    PrivaPubError
    ├── InvalidInput        what was asked cannot be understood or is not allowed by its form
    ├── NotFound            there is no such thing, or none that the asker may know of
    ├── NotAllowed          it is there, and not for the asker
    ├── Conflict            it is against what already is
    ├── Unavailable         not now: try again later
    └── OperatorError       the installation must be changed before this works

The message is the sentence that the public may read; `hint` says what to do next. HTTP statuses and exit codes are
given to them at the entrances only.
"""


class PrivaPubError(Exception):
    """Something went wrong that can be said in a sentence."""

    def __init__(self, sentence: str = "", hint: str = "") -> None:
        """Keep the sentence (the class docstring where none is given) and the hint."""
        super().__init__(sentence or type(self).__doc__ or "")
        self.hint = hint


class InvalidInput(PrivaPubError):
    """This cannot be understood."""


class NotFound(PrivaPubError):
    """There is no such thing."""


class NotAllowed(PrivaPubError):
    """This is not allowed."""


class Conflict(PrivaPubError):
    """This is against what already is."""


class Unavailable(PrivaPubError):
    """This does not work at the moment: try again later."""


class OperatorError(PrivaPubError):
    """The installation needs a change before this works."""
