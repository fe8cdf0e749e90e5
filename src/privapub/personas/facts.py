"""What happened to personas."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PersonaEdited:
    """The profile reads differently now: whoever knows the persona is to be told."""

    persona_id: int


@dataclass(frozen=True)
class PersonaDeleted:
    """The persona is no more: whoever knows it is to be told. Its actor and keys are still there to say so."""

    persona_id: int
