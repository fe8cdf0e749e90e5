"""A server and its peers: whom a text names may be anywhere."""

from rooms.federation.conftest import authority, world  # noqa: F401 - fixtures
