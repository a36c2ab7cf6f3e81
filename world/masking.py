"""Masking of secrets in what the request log keeps, and of credentials in addresses wherever they are shown.

A header, a query parameter or a JSON member is a secret if its name ends in one of the words below. The control plane,
the console and the terminal show what the request log has, so that this is the only place that masks.
"""

import json
import re
from urllib.parse import quote_plus, unquote_plus

MASK = "***"

# "key" counts as a word of its own (`key`, `apikey`, `access_key`, `accessKey`), unlike the end of "monkey".
_SECRET_NAME = re.compile(
    r"(?i:token|secret|password|authorization|cookie)$|(?:^|[\W_]|(?i:api|access|secret|private))(?i:key)$|[a-z0-9]Key$"
)
# Names that end in "key" and hold no secret: a program's tests compare idempotency keys.
_OPEN_NAME = re.compile(r"(?i)(?:^|x-)idempotency[-_]?key$")
# Where one of these is missing, no JSON member is a secret. The search for them is fast, and most bodies have none.
_MEMBER_ENDS = (b'token"', b'secret"', b'key"', b'password"', b'authorization"', b'cookie"')
# The length is limited so that the search takes linear time.
_MEMBER = re.compile(r'"([^"\\]{1,100})"\s*:\s*')
# The user and the password in an address, which may be within JSON that escapes slashes. The last @ ends them.
_CREDENTIALS = re.compile(r"(\w:(?:\\?/){2})[^\s/?#\\\"'<>]{1,1000}@")
_decoder = json.JSONDecoder()


def is_secret(name: str) -> bool:
    """Return whether a header, parameter or member of this name holds a secret."""
    name = name[-100:]  # the end decides; a client can send long names
    return _SECRET_NAME.search(name) is not None and _OPEN_NAME.search(name) is None


def mask_addresses(text: str) -> str:
    """Return a text whose addresses, such as `http://user:password@host/`, have their credentials masked."""
    return _CREDENTIALS.sub(rf"\1{MASK}@", text) if "@" in text else text


def mask_json(body: bytes) -> bytes:
    """Return JSON text with its secrets masked. It may end early, as the beginning of a long body does.

    Text outside of the masked values stays byte for byte. Null, true and false are not masked.
    """
    if b"@" in body:
        body = mask_addresses(body.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    lower = body.lower()
    if not any(end in lower for end in _MEMBER_ENDS):
        return body
    text = body.decode("utf-8", "surrogateescape")
    parts, position = [], 0
    for member in _MEMBER.finditer(text):
        if member.start() < position or not is_secret(member[1]):
            continue
        try:
            value, end = _decoder.raw_decode(text, member.end())
        except (ValueError, RecursionError):  # the text ends within the value, or is no JSON
            value, end = "", len(text)
        if value is None or isinstance(value, bool):
            continue
        parts += [text[position : member.end()], f'"{MASK}"']
        position = end
    return "".join([*parts, text[position:]]).encode("utf-8", "surrogateescape")


def mask_query(query: str) -> str:
    """Return a query string with its secrets masked, and with the signatures of signed URLs."""
    return "&".join(map(_masked_parameter, query.split("&")))


def _masked_parameter(parameter: str) -> str:
    encoded_name, _, value = parameter.partition("=")
    if not value:
        return parameter
    name = unquote_plus(encoded_name)
    if is_secret(name) or name.lower().endswith("signature"):
        return f"{encoded_name}={MASK}"
    text = unquote_plus(value)
    masked = mask_addresses(text)
    return parameter if masked == text else f"{encoded_name}={quote_plus(masked, safe=MASK)}"


def mask_header(name: str, value: str) -> tuple[str, str]:
    """Return a header with its value masked if it is a secret."""
    return name, MASK if is_secret(name) else mask_addresses(value)
