"""The address of a search server, read once, so that what is secret in it is never shown."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from urllib.parse import SplitResult, unquote, urlsplit

from answertrail.errors import InputError

_HOST = re.compile(r"[\w.-]+|[0-9A-Fa-f:.]+(%\w+)?")


@dataclass(frozen=True, slots=True)
class Address:
    """Its parts. `shown` is all of it but the login; `login` is None where it has none."""

    shown: str
    login: tuple[str, str] | None = field(default=None, repr=False)
    secret: str = field(default="", repr=False)
    """The password as it was written."""


def read_address(text: str, schemes: Collection[str], *, where: str, example: str) -> Address:
    """Read `scheme://user:password@host:port/path`.

    Raises InputError for anything else, without a word of the address: what looks like a host may
    be a part of a password.
    """
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise _bad(text, where, example) from None
    if (
        parts.scheme not in schemes
        or not _HOST.fullmatch(parts.hostname or "")
        or port == 0
        or "@" in parts.path
        or "?" in text
        or "#" in text
        or any(one.isspace() or not one.isprintable() for one in text)
    ):
        raise _bad(text, where, example)
    return Address(_shown(parts, port), *_login(parts))


def _login(parts: SplitResult) -> tuple[tuple[str, str] | None, str]:
    if not parts.username:
        return None, parts.password or ""
    return (unquote(parts.username), unquote(parts.password or "")), parts.password or ""


def _shown(parts: SplitResult, port: int | None) -> str:
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{host}" + ("" if port is None else f":{port}") + parts.path.rstrip("/")


def _bad(text: str, where: str, example: str) -> InputError:
    hint = f"write it as {example}"
    if "@" in text:
        hint += "; percent-encode the password: / is %2F, @ is %40, # is %23, ? is %3F, : is %3A"
    return InputError("not the address of a server", where=where, hint=hint)
