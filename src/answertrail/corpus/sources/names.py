"""What the name of a file says when nothing else does: a title, a day, the page of a video."""

from __future__ import annotations

import re

from answertrail.corpus.sources.dates import contract_date
from answertrail.corpus.sources.facts import Facts
from answertrail.corpus.sources.outcome import SourceFault
from answertrail.corpus.sources.values import YOUTUBE_ID, video_url

MAX_ID_CHARS = 300
"""As long as an id of the contract may be."""

_BRACKETED_ID = re.compile(r"(?P<title>.*\S)?[ _-]*\[(?P<id>[A-Za-z0-9_-]{11})\]")
_NAME_DATE = re.compile(r"(?<!\d)(\d{4})([-_]?)(\d{2})\2(\d{2})(?!\d)")


def from_name(stem: str) -> Facts:
    """Last resort: the stem made readable, a date in it, and the page of the video it names.

    The date says that it came from the file name.
    """
    video = video_id(stem)
    match = _NAME_DATE.search(stem)
    published = None
    if match is not None:
        published = contract_date(f"{match[1]}-{match[3]}-{match[4]}")
        if published is not None and not 1900 <= int(match[1]) <= 2100:
            published = None
    return Facts(
        title=readable(stem),
        published_at=published,
        published_at_source="file name" if published else None,
        url=video_url(video),
        meta={"video_id": video} if video else {},
    )


def check_id(document_id: str) -> None:
    """Raise SourceFault for an id made of a file's name that the contract does not allow."""
    if "\n" in document_id:
        raise SourceFault("the name of the file holds a line break; rename it")
    if len(document_id) > MAX_ID_CHARS:
        raise SourceFault(
            f"the id made of the file's name has {len(document_id)} characters, at most {MAX_ID_CHARS} are allowed; "
            "rename it"
        )


def check_title(title: str) -> None:
    """Raise SourceFault for a title made of a file's name that no database can hold."""
    try:
        title.encode("utf-8")
    except UnicodeEncodeError:
        raise SourceFault("the name of the file is not UTF-8, and nothing else gives a title; rename it") from None


def video_id(stem: str) -> str | None:
    """Return the YouTube id that a downloader put into a file's name, `Title [ID]` or `ID` alone.

    Eleven characters that could be a word (`[programming]`, `INTRODUCING`) are none: in brackets
    it takes a digit, a mark or a capital inside; alone, a digit beside small and capital letters.
    """
    match = _BRACKETED_ID.fullmatch(stem)
    if match is not None:
        found = match["id"]
        return found if re.search(r"[0-9_-]|[a-z][A-Z]", found) else None
    if YOUTUBE_ID.fullmatch(stem) and all(re.search(kind, stem) for kind in ("[0-9]", "[a-z]", "[A-Z]")):
        return stem
    return None


def readable(stem: str) -> str:
    """Make a stem a title: `2021-05-03_on-code-review` gives `On code review`."""
    rest = stem
    match = _NAME_DATE.match(stem)
    if match is not None and contract_date(f"{match[1]}-{match[3]}-{match[4]}"):
        rest = stem[match.end() :].strip(" -_.") or stem
    bracketed = _BRACKETED_ID.fullmatch(rest)
    if bracketed is not None and bracketed["title"] and video_id(rest):
        # A title as the downloader wrote it is left as it is.
        return " ".join(bracketed["title"].split())
    if YOUTUBE_ID.fullmatch(rest):
        return rest
    if rest == stem and match is not None and match.end() == len(stem):
        return stem
    words = re.sub(r"[_\s]+", " ", rest)
    if " " not in words:
        words = words.replace("-", " ")
    words = " ".join(words.split()) or stem
    return words[0].upper() + words[1:]
