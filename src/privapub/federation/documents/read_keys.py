"""The public keys in an actor's document (security/v1 `publicKey`; FEP-521a `assertionMethod`, Multikey)."""

from collections.abc import Iterator

from privapub.federation.documents.fields import Fields
from privapub.federation.documents.limits import MAX_KEYS
from privapub.federation.documents.multikey import algorithm_of, algorithm_of_pem
from privapub.federation.documents.properties import each, identity, is_web, string, web_id

# Id, owner, `rsa` or `ed25519`, PEM or multibase.
Key = tuple[str, str, str, str]
_MEMBERS = ("publicKey", "assertionMethod")
_LONGEST = 5000


def read_keys(fields: Fields, uri: str) -> tuple[Key, ...]:
    """The keys that stand in the document and are the actor's own; what is neither is noted."""
    found: dict[str, Key] = {}
    for name in _MEMBERS:
        for item in fields.objects(name, MAX_KEYS):
            key = _key(item, uri)
            if isinstance(key, str):
                fields.note(name, key)
            elif key[0] in found:
                fields.note(name, "Two of these keys have one id.")
            else:
                found[key[0]] = key
    return tuple(found.values())


def read_key_addresses(fields: Fields) -> tuple[str, ...]:
    """The addresses of keys that have documents of their own: fetched when something is signed with one."""
    return tuple(_addresses(fields))[:MAX_KEYS]


def _addresses(fields: Fields) -> Iterator[str]:
    for name in _MEMBERS:
        for item in each(fields.raw.get(name)):
            if isinstance(item, str) and is_web(item):
                yield item
            elif not isinstance(item, dict) and item is not None:
                fields.note(name, "One of these is no key and no address of one.")


def _key(item: Fields, uri: str) -> Key | str:
    """The key, or a sentence that says why it is none."""
    key_id = web_id(item.raw.get("id"))
    if key_id is None:
        return "One of these keys has no id that is an http(s) URL."
    owner = identity(item.get("owner", "controller")) or uri
    if owner != uri:
        return "One of these keys says that it is somebody else's."
    pem = string(item.raw.get("publicKeyPem"), _LONGEST).strip()
    multibase = string(item.raw.get("publicKeyMultibase"), _LONGEST).strip()
    text = pem or multibase
    algorithm = algorithm_of_pem(pem) if pem else algorithm_of(multibase)
    if algorithm is None:
        return "One of these keys is of no kind that can be used."
    return key_id, owner, algorithm, text
