"""Second thoughts about a guessed encoding: the code pages that general detectors confuse.

Western European text is often taken for a Baltic or Central European page (`déjà` read as `déją`),
Hebrew for Cyrillic in capitals. Which letters a language writes tells them apart.
"""

from __future__ import annotations

import codecs

_LETTERS: tuple[tuple[str, str], ...] = (
    ("cp1252", "àâæçéèêëîïôœùûüÿ"),  # French
    ("cp1252", "äöüßé"),  # German
    ("cp1252", "áéíñóúü"),  # Spanish
    ("cp1252", "àáâãçéêíóôõú"),  # Portuguese
    ("cp1252", "àèéìíîòóùú"),  # Italian
    ("cp1252", "åäöéæøü"),  # Danish, Norwegian, Swedish, Finnish
    ("cp1252", "áðéíóúýþæö"),  # Icelandic
    ("cp1252", "éèëïöüóáíàç"),  # Dutch, Catalan
    ("cp1250", "ąćęłńóśźż"),  # Polish
    ("cp1250", "áčďéěíňóřšťúůýž"),  # Czech
    ("cp1250", "áäčďéíĺľňóôŕšťúýž"),  # Slovak
    ("cp1250", "áéíóöőúüű"),  # Hungarian
    ("cp1250", "ăâîşţ"),  # Romanian
    ("cp1250", "čćđšž"),  # Croatian, Slovene
    ("cp1254", "çğıöşüâîû\u0307"),  # Turkish; a capital İ folds to i and a dot
    ("cp1257", "ąčęėįšųūž"),  # Lithuanian
    ("cp1257", "āčēģīķļņšūž"),  # Latvian
    ("cp1257", "äõöüšž"),  # Estonian
)
_PAGES = tuple(dict.fromkeys(page for page, _ in _LETTERS))
_HEBREW_FINALS = "ךםןףץ"
_SINGLE_BYTE = ("cp125", "iso8859", "latin", "mac_", "koi8", "cp437", "cp85", "cp77", "hp_roman", "kz1048", "ptcp")


def reconsidered(raw: bytes, guess: str) -> str:
    """Return a better name for the encoding of `raw` than `guess`, or `guess` itself.

    Only guesses of one byte a character are reconsidered.
    """
    name = codecs.lookup(guess).name.replace("-", "_").replace("iso8859_", "iso8859")
    if not name.startswith(_SINGLE_BYTE):
        return guess
    if _is_latin(raw):
        return _latin_page(raw) or guess
    return "cp1255" if _is_hebrew(raw) else guess


def _is_latin(raw: bytes) -> bool:
    """True when most letters beyond ASCII stand in words with ASCII letters, as accents do."""
    mixed = total = 0
    for word in raw.split():
        high = sum(byte >= 0xC0 for byte in word)
        total += high
        if high and (any(65 <= byte & 0xDF <= 90 for byte in word if byte < 0x80) or len(word) == 1):
            mixed += high
    return total > 0 and mixed >= 0.7 * total


def _latin_page(raw: bytes) -> str | None:
    """The code page in which the letters are most nearly those of one language; the first of equals."""
    found: dict[str, str] = {}
    for page in _PAGES:
        text = raw.decode(page, "replace").lower()
        found[page] = "".join(char for char in text if not char.isascii() and (char.isalpha() or char == "\ufffd"))
    best, best_share = None, 0.5
    for page, letters in _LETTERS:
        share = sum(char in letters for char in found[page]) / max(1, len(found[page]))
        if share > best_share:
            best, best_share = page, share
    return best


def _is_hebrew(raw: bytes) -> bool:
    """True when all letters are those of the Hebrew page, and its final forms end words."""
    text = raw.decode("cp1255", "replace")
    letters = [char for char in text if not char.isascii() and char.isalpha()]
    if len(letters) < 20 or not all("א" <= char <= "ת" for char in letters):
        return False
    finals = [place for place, char in enumerate(text) if char in _HEBREW_FINALS]
    ending = sum(not text[place + 1 : place + 2].isalpha() for place in finals)
    return bool(finals) and ending >= 0.95 * len(finals)
