"""Which caption track is taken: by language, then human before automatic, translated only when asked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from answertrail.records.document import Captions

# Codes that were renamed, and what YouTube still calls them.
_RENAMED = {"iw": "he", "in": "id", "ji": "yi", "jw": "jv", "tl": "fil", "nb": "no"}
_SCRIPTS = {"zh-tw": "hant", "zh-hk": "hant", "zh-mo": "hant", "zh-cn": "hans", "zh-sg": "hans"}
_CODE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{1,8})*")
_NO_LANGUAGE = frozenset({"zxx", "und", "mul", "mis", "xx"})


@dataclass(frozen=True, slots=True)
class Track:
    """One caption track as the player lists it.

    `id` is YouTube's own (`.en`, `a.en`), `name` the uploader's, empty as a rule. `locked`: it is
    given only to browsers that prove themselves.
    """

    id: str
    language: str
    automatic: bool
    label: str = ""
    name: str = ""
    url: str = ""
    translatable: bool = False
    locked: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return what is recorded: no address, since it lapses within hours."""
        out: dict[str, Any] = {"id": self.id, "language": self.language, "automatic": self.automatic}
        if self.label:
            out["label"] = self.label
        if self.name:
            out["name"] = self.name
        return out


@dataclass(frozen=True, slots=True)
class Choice:
    """The track taken, `translated_to` the language it is asked in when not its own, and why."""

    track: Track
    translated_to: str | None = None
    note: str | None = None

    @property
    def captions(self) -> Captions:
        """The contract's word for who made the words."""
        if self.translated_to is not None:
            return "translated"
        return "auto" if self.track.automatic else "human"

    @property
    def language(self) -> str:
        """The language of the words that come."""
        return self.translated_to or self.track.language


def language_tag(text: object) -> str | None:
    """Return a language code as it stands, without a downloader's `-orig`; None when it names no language."""
    if not isinstance(text, str) or not _CODE.fullmatch(text.strip()):
        return None
    code = text.strip().replace("_", "-")
    code = re.sub(r"-(?:orig|auto)$", "", code, flags=re.IGNORECASE)
    return None if code.split("-")[0].lower() in _NO_LANGUAGE else code


def closeness(wanted: str, offered: str) -> int | None:
    """Return how well an offered language serves a wanted one: 0 the same, 1 and 2 less, None not at all.

    `en`, `en-US` and `en-orig` serve each other; `zh-Hans` does not serve `zh-Hant`.
    """
    mine, theirs = _parts(wanted), _parts(offered)
    if mine == theirs:
        return 0
    if mine[0] != theirs[0]:
        return None
    if mine[1] and theirs[1] and mine[1] != theirs[1]:
        return None
    # A language without region serves better than one of another region.
    return 1 if not mine[2] or not theirs[2] else 2


def _parts(code: str) -> tuple[str, str, str]:
    """Return language, script and region, in lower case, empty where the code does not say."""
    lower = (language_tag(code) or code).lower()
    first, *rest = lower.split("-")
    script = next((part for part in rest if len(part) == 4 and part.isalpha()), _SCRIPTS.get(lower, ""))
    region = next((part for part in rest if re.fullmatch(r"[a-z]{2}|\d{3}", part)), "")
    return _RENAMED.get(first, first), script, region


def choose(
    tracks: Sequence[Track],
    *,
    wanted: Sequence[str] = (),
    spoken: str | None = None,
    default: int | None = None,
    translate: bool = False,
    translations: Sequence[str] = (),
) -> Choice | None:
    """Return the track to take, None when none is in a language asked for.

    `wanted` are languages in order of preference; without any it is the spoken one: `spoken`, as
    the uploader says, else that of the automatic track, which was made from the sound. `default`
    is the place of the track that the player would show. `translate` allows a machine translation
    of the spoken track into the first wanted language of `translations` when no track serves.
    """
    if not tracks:
        return None
    heard = [code for code in (spoken, *(t.language for t in tracks if t.automatic)) if code]
    for language in wanted or heard:
        best = _best(tracks, language)
        if best is not None:
            return Choice(best)
    if wanted:
        return _translated(tracks, wanted, heard, translations) if translate else None
    shown = tracks[default] if default is not None and 0 <= default < len(tracks) else tracks[0]
    if spoken is None and len({_parts(track.language)[0] for track in tracks}) > 1:
        return Choice(shown, note=f"which language is spoken is not known; the captions in {shown.language} were taken")
    return Choice(shown) if spoken is None else None


def _best(tracks: Sequence[Track], language: str) -> Track | None:
    ranked = [
        (track.automatic, near, bool(track.name), place)
        for place, track in enumerate(tracks)
        if (near := closeness(language, track.language)) is not None
    ]
    return tracks[min(ranked)[-1]] if ranked else None


def _translated(
    tracks: Sequence[Track], wanted: Sequence[str], heard: Sequence[str], translations: Sequence[str]
) -> Choice | None:
    sources = [track for track in tracks if track.translatable]
    target = next((t for w in wanted for t in translations if closeness(w, t) is not None), None)
    if not sources or target is None:
        return None
    best = next((found for code in heard if (found := _best(sources, code)) is not None), sources[0])
    return Choice(best, target, f"translated by machine from {best.language}, as asked")


def described(tracks: Sequence[Track]) -> str:
    """Name the languages there are, for a reason: `en, de (automatic)`."""
    names = [f"{track.language} (automatic)" if track.automatic else track.language for track in tracks]
    return ", ".join(dict.fromkeys(names))
