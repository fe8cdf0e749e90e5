"""What happened to personas."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PersonaEdited:
    """The profile reads differently now: whoever knows the persona is to be told."""

    persona_id: int
