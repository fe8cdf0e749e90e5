"""Leaving members out of our documents."""

from typing import Any


def without_nothing(document: dict[str, Any]) -> dict[str, Any]:
    """The document without the members that are None: nothing is said of them (pure)."""
    return {name: value for name, value in document.items() if value is not None}


def without_context(document: dict[str, Any]) -> dict[str, Any]:
    """The document as it stands within another, whose context counts for both (pure)."""
    return {name: value for name, value in document.items() if name != "@context"}
