"""What to try when a search brings nothing, by the cause that can be told."""

from __future__ import annotations

from datetime import UTC

from answertrail.search.hits import Hit, SearchResult

_NO_HELP = "the same search will not help"


def advice_for(result: SearchResult, window: tuple[str | None, str | None], beyond: tuple[Hit, ...] = ()) -> str:
    """Return one or two sentences for a result without hits: why it is empty, and what to do.

    `window` are the dates asked for; `beyond` the best unseen passages without them.
    """
    dated = any(window)
    if not result.chunks_in_corpus:
        return f"The corpus holds no passages; {_NO_HELP}. mark_ready and submit cannot_answer."
    if result.held_back:
        within = f" {_stretch(window)}" if dated else ""
        return (
            f"All that matches{within} was already shown to you; {_NO_HELP}. Use other words, "
            f"{'other dates, ' if dated else ''}or mark_ready.{_beyond(beyond)}"
        )
    if dated and beyond:
        return f"Nothing matches {_stretch(window)}; {_NO_HELP}. Widen the dates or drop them.{_beyond(beyond)}"
    if unknown := _unknown(result):
        cause = f"No passage has {'any of these words' if len(unknown) > 1 else 'this word'}: {', '.join(unknown)}"
        return f"{cause}; {_NO_HELP}. Use the corpus's own words, or, if that was tried, {_GIVE_UP}"
    if result.coverage is not None:
        return (
            f"No period has a passage that is near enough{_nearest(result)}; {_NO_HELP}. Use other words, or "
            f"search_transcripts, which gives the nearest passages whatever their score; or {_GIVE_UP}"
        )
    drop = "drop the dates, " if dated else ""
    return f"Nothing matches; this is final and {_NO_HELP}. Use other words, {drop}or, if that was tried, {_GIVE_UP}"


_GIVE_UP = "mark_ready and submit cannot_answer."


def _unknown(result: SearchResult) -> list[str]:
    """Return the query's terms when the corpus has none of them; empty where it has one."""
    return list(result.terms) if result.terms and not any(result.terms.values()) else []


def _nearest(result: SearchResult) -> str:
    scored = [p for p in result.coverage.periods if p.best is not None] if result.coverage else []
    if not scored or result.coverage is None:
        return ""
    best = max(scored, key=lambda period: period.best or 0.0)
    return f" (nearest is {best.label}, {best.best:.2f} where {result.coverage.floor:.2f} is needed)"


def _stretch(window: tuple[str | None, str | None]) -> str:
    start, end = window
    if start and end:
        return f"from {start} to {end}"
    return f"from {start} on" if start else f"before {end}"


def _beyond(hits: tuple[Hit, ...]) -> str:
    if not hits:
        return ""
    days = sorted({hit.published_at.astimezone(UTC).date().isoformat() for hit in hits if hit.published_at})
    undated = [] if all(hit.published_at for hit in hits) else ["no date"]
    return f" Without the dates, the best of what you have not seen is from: {', '.join([*days, *undated])}."
