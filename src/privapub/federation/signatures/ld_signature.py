"""RsaSignature2017, read and never made (Linked Data Signatures 1.0, draft; as Mastodon has used it since 2017).

What is believed is what the signed canonical form says (`ld_reading`), and not the document in which it came: whoever
passes that on may have given its names other meanings.
"""

import base64
import binascii
import hashlib
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal

from privapub.federation.documents.moments import moment
from privapub.federation.signatures.claim import checked_key_id
from privapub.federation.signatures.keys import PublicKey
from privapub.federation.signatures.ld_shape import check_shape
from privapub.federation.signatures.owner import check_owner
from privapub.federation.signatures.request import BadSignature

SUITE: Final = "RsaSignature2017"

_LONGEST_VALUE = 2048  # an RSA key of 8192 bits signs with 1,368 letters
_LONGEST_OPTION = 200
_DATE = "http://www.w3.org/2001/XMLSchema#dateTime"
# What is signed beside the document, as https://w3id.org/identity/v1 names it, in the order of the canonical form.
_OPTIONS = {
    "created": ("http://purl.org/dc/terms/created", _DATE),
    "creator": ("http://purl.org/dc/terms/creator", None),
    "domain": ("https://w3id.org/security#domain", ""),
    "expires": ("https://w3id.org/security#expiration", _DATE),
    "nonce": ("https://w3id.org/security#nonce", ""),
}
_UNSIGNED = frozenset({"@context", "id", "signatureValue", "type"})


@dataclass(frozen=True)
class LinkedSignature:
    """A signature that a document carries: nobody has checked it yet.

    `key_id` is its `creator`, `created` and `expires` are seconds since 1970. `document` is what it came with.
    """

    scheme: ClassVar[Literal["RsaSignature2017"]] = SUITE

    key_id: str
    created: float | None
    expires: float | None
    document: dict[str, Any]
    options: str
    signature: bytes

    def believed(self, key: PublicKey, now: float) -> dict[str, Any]:
        """What the owner of this key said: read this, and not the document that carried the signature.

        Takes some milliseconds, the first time a sixth of a second: for a thread. Raises BadSignature: `expired`,
        `wrong-algorithm`, `malformed`, `too-large`, `wrong-signature`, `wrong-owner` (the document is somebody
        else's). That the key is the one that the signature names, and its owner's, is for the caller.
        """
        # The library takes a sixth of a second and 14 MB, and most servers never meet such a signature.
        from privapub.federation.signatures.ld_quads import canonical  # noqa: PLC0415 - as the comment says
        from privapub.federation.signatures.ld_reading import activity_of  # noqa: PLC0415 - they belong together

        if self.expires is not None and self.expires < now:
            raise BadSignature("expired", "The signature within this document has expired.")
        if key.algorithm != "rsa":
            raise BadSignature("wrong-algorithm", "The signature within this document needs a key of another kind.")
        quads, text = canonical(self.document)
        if not key.verifies(self.signature, (_hash(self.options) + _hash(text)).encode()):
            raise BadSignature("wrong-signature", "The signature within this document does not fit it.")
        said = activity_of(quads)
        check_owner(said, key)
        return said


def read(document: dict[str, Any]) -> LinkedSignature | None:
    """The signature in a document; None where there is none that is read here, or the document is none (`ld_shape`)."""
    carried = document.get("signature")
    if not isinstance(carried, dict) or carried.get("type") != SUITE:
        return None
    options = {name: value for name, value in carried.items() if name not in _UNSIGNED}
    signature = _bytes(carried.get("signatureValue"))
    if signature is None or not all(_is_option(name, value) for name, value in options.items()):
        return None
    bare = {name: value for name, value in document.items() if name != "signature"}
    try:
        key_id = checked_key_id(options.get("creator"))
        check_shape(bare)
    except BadSignature:
        return None
    moments = {name: moment(options[name]) for name in ("created", "expires") if name in options}
    if None in moments.values():
        return None
    return LinkedSignature(key_id, moments.get("created"), moments.get("expires"), bare, _text(options), signature)


def _is_option(name: str, value: Any) -> bool:
    """Whether it stands in the canonical form as it is: nothing in it would be written in another way."""
    if name not in _OPTIONS or not isinstance(value, str) or not value.isprintable() or not value.isascii():
        return False
    if name == "creator":
        return not set(value) & set('<>"{}|^`\\ ')
    return len(value) <= _LONGEST_OPTION and not set(value) & set('"\\')


def _text(options: dict[str, str]) -> str:
    """The canonical form of the options: one node without a name."""
    lines = []
    for name, (uri, datatype) in _OPTIONS.items():
        if name in options:
            literal = f'"{options[name]}"' + (f"^^<{datatype}>" if datatype else "")
            lines.append(f"_:c14n0 <{uri}> {f'<{options[name]}>' if datatype is None else literal} .\n")
    return "".join(lines)


def _bytes(value: Any) -> bytes | None:
    if not isinstance(value, str) or len(value) > _LONGEST_VALUE:
        return None
    try:
        # Some break it into lines.
        return base64.b64decode("".join(value.split()), validate=True)
    except (binascii.Error, ValueError):
        return None


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
