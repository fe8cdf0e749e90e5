"""What happened to personas."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PersonaEdited:
    """The profile reads differently now: whoever knows the persona is to be told."""

    persona_id: int


@dataclass(frozen=True)
class KeysRotated:
    """The persona has other keys now: whoever knows it is to be told, in a way that they believe."""

    persona_id: int


@dataclass(frozen=True)
class PersonaMoved:
    """A persona has another actor now: its followers are to follow that one."""

    persona_id: int
    target_id: int
