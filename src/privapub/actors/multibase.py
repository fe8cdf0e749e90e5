"""Bytes as words of multibase base58btc, as `publicKeyMultibase` has them (W3C Controlled Identifiers, section 2.4)."""

_LETTERS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
ED25519_PUBLIC = b"\xed\x01"  # multicodec ed25519-pub as a varint
RSA_PUBLIC = b"\x85\x24"  # multicodec rsa-pub, followed by a PKCS #1 RSAPublicKey


def encode(data: bytes) -> str:
    """The word for these bytes: `z` and their digits to the base 58, each zero byte in front as a 1."""
    number, digits = int.from_bytes(data, "big"), ""
    while number:
        number, digit = divmod(number, len(_LETTERS))
        digits = _LETTERS[digit] + digits
    return "z" + _LETTERS[0] * (len(data) - len(data.lstrip(b"\0"))) + digits


def decode(word: str) -> bytes:
    """The bytes that a word stands for; ValueError where it is none. Long words take long: the caller bounds them."""
    if not word.startswith("z"):
        raise ValueError("no base58btc")
    digits, number = word[1:], 0
    for letter in digits:
        number = number * len(_LETTERS) + _LETTERS.index(letter)
    zeros = len(digits) - len(digits.lstrip(_LETTERS[0]))
    return b"\0" * zeros + number.to_bytes((number.bit_length() + 7) // 8, "big")
