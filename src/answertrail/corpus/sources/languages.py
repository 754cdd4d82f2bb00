"""Recognise language codes in file names and sidecars."""

from __future__ import annotations

import re

_CODES = """
    aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy
    da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu
    hy hz ia id ie ig ii ik io is it iu iw ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la
    lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj
    om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv
    sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
"""
_ISO_639_1 = frozenset(_CODES.split())
_CODE = re.compile(r"(?P<base>[a-z]{2})(?P<rest>(?:[-_](?:[A-Z]{2}|[A-Z][a-z]{3}|\d{3}|orig|auto))*)")


def language_code(text: object) -> str | None:
    """Return the code when `text` is one (`en`, `pt-BR`, `zh-Hans`, `en-orig`), else None.

    `-orig` and `-auto`, which downloaders append, are dropped; `_` becomes `-`.
    """
    if not isinstance(text, str):
        return None
    match = _CODE.fullmatch(text.strip())
    if match is None or match["base"] not in _ISO_639_1:
        return None
    code = text.strip().replace("_", "-")
    return code.replace("-orig", "").replace("-auto", "")


def split_language(stem: str) -> tuple[str, str | None]:
    """Split `talk.en` into (`talk`, `en` as written); a stem without a code has None."""
    base, dot, tail = stem.rpartition(".")
    if dot and base and language_code(tail) is not None:
        return base, tail
    return stem, None


def primary(code: str | None) -> str | None:
    """The language without script or region: `en` of `en-US`."""
    return code.split("-")[0] if code else None
