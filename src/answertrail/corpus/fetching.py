"""The listing and fetching stages of an ingest, and what they came to in its report."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from datetime import UTC, datetime
from typing import TypeAlias, cast

from answertrail.corpus.origins.base import Origin, WithheldKind
from answertrail.corpus.origins.choice import origin_of
from answertrail.corpus.origins.report import FetchReport, ListReport
from answertrail.corpus.origins.services import block_of, service_of
from answertrail.corpus.origins.stage import Pace, fetch_pending, list_origin, states
from answertrail.corpus.report import Gone, IngestReport, LeftOut, Progress
from answertrail.corpus.request import IngestRequest, OriginChoices
from answertrail.corpus.sources.languages import primary
from answertrail.errors import AnswerTrailError, InputError
from answertrail.models.chat.failures import EndpointError
from answertrail.settings import Settings
from answertrail.store import documents, origin_documents, origins
from answertrail.store.blocks import Block
from answertrail.store.connection import Database
from answertrail.store.families import family_of
from answertrail.store.rows import Corpus

_WAIT_S = 1.0
_SAMPLE = 50


Errors: TypeAlias = dict[str, AnswerTrailError]
"""Why origins could not be listed or asked, by key."""


@asynccontextmanager
async def resolved(request: IngestRequest, settings: Settings) -> AsyncIterator[tuple[list[Origin], Errors]]:
    """Yield the origins of a request, each known by its key and once, in the order given; they are closed after.

    Those that are not there, or whose service cannot be asked, are in the errors instead. Raises
    InputError for what names none, before any is asked; and the first of the errors when there is
    nothing else to ingest, so that nothing is half made.
    """
    found: dict[str, Origin] = {}
    errors: Errors = {}
    with ExitStack() as opened:
        given = []
        for typed in request.origins:
            origin = origin_of(typed, settings, request.fetching)
            if origin is None:
                raise InputError("no file, folder, channel, playlist, video or feed", where=typed)
            opened.callback(origin.close)
            given.append(origin)
        for origin in given:
            if origin.key in found or origin.key in errors:
                continue  # typed twice
            try:
                _check_welcome(origin.key, errors)
                await origin.resolve()
                found.setdefault(origin.key, origin)
            except AnswerTrailError as error:
                errors[origin.key] = error
        if errors and not found and not request.sources:
            raise next(iter(errors.values()))
        yield list(found.values()), errors


async def titles(given: Sequence[Origin]) -> tuple[list[str], AnswerTrailError | None]:
    """Return titles and descriptions of some items of each origin, to tell their language; and the first error met."""
    out = []
    first: AnswerTrailError | None = None
    for origin in given:
        count = 0
        # One that breaks off gives what came before; listing it reports the fault.
        try:
            async for item in origin.items():
                out.append(f"{item.title}. {item.description or ''}")
                count += 1
                if count == _SAMPLE:
                    break
        except AnswerTrailError as error:
            first = first or error
    return out, first


async def fetch_all(
    db: Database,
    corpus: Corpus,
    given: Sequence[Origin],
    choices: OriginChoices,
    worker: str,
    report: IngestReport,
    shown: Progress,
) -> None:
    """List each origin, then fetch what is due, and write into the report what that came to.

    One that cannot be listed or asked is reported and stops no other. Once a service refuses us, its
    other origins are passed over until the time it named, in this run and in later ones; where
    `blocked` is to be rechecked, a refusal of an earlier run does not count. Raises ServiceError
    when the database fails; what was fetched stays.
    """
    since = await origins.clock(db) if "blocked" in choices.recheck else None
    for origin in given:
        block = await block_of(db, corpus, origin.key, datetime.now(UTC), since=since)
        if block is not None:
            await _pass_over(db, corpus, origin.key, block, report)
            continue
        listing = ListReport(origin.key, None)
        try:
            _check_welcome(origin.key, report.errors)
            listing = await _list(db, corpus, origin, shown)
            fetched = await _fetch(db, corpus, origin, choices, worker, shown, since)
        except AnswerTrailError as error:
            if error.where == db.where:
                raise
            report_error(report, origin.key, error, listing)
            continue
        _into(report, origin.key, listing, fetched)
        await _waiting(db, corpus, origin.key, fetched, report)
        report.gone += await _gone(db, corpus, origin.key)
        other = await _in_other_languages(db, corpus, origin.key, choices)
        # What an origin decided is whole once its listing came to its end.
        notes = (*origin.notes, *((other,) if other else ()))
        if notes:
            report.notes[origin.key] = notes


def report_error(report: IngestReport, key: str, error: AnswerTrailError, listing: ListReport | None = None) -> None:
    """Report an origin that could not be listed or asked; what it gave before stays as it is."""
    reason = f"{error.message}; {error.hint or 'what it gave before stays; run the same command again later'}"
    report.errors[key] = error
    report.failed.append(LeftOut(key, reason))
    _into(report, key, listing or ListReport(key, None), FetchReport(origin=key))
    report.origins[-1]["stopped"] = reason


def _check_welcome(key: str, errors: Mapping[str, AnswerTrailError]) -> None:
    """Raise, as the origin's own, the error by which its service has refused another in this run: it refuses all."""
    for other, error in errors.items():
        if not isinstance(error, EndpointError) or error.reason not in ("rate", "quota"):
            continue
        if service_of(other) == service_of(key):
            raise EndpointError(
                error.message,
                reason=error.reason,
                status=error.status,
                retry_after=error.retry_after,
                retryable=error.retryable,
                where=key,
                hint=error.hint,
            ) from error


async def _pass_over(db: Database, corpus: Corpus, key: str, block: Block, report: IngestReport) -> None:
    """Report an origin that is not asked, since its service refuses us."""
    left = (await states(db, corpus, key))["pending"]
    fetched = FetchReport(origin=key, left=left, stopped=block.reason, resume_at=block.until)
    _into(report, key, ListReport(key, None), fetched)
    await _waiting(db, corpus, key, fetched, report)


async def _list(db: Database, corpus: Corpus, origin: Origin, shown: Progress) -> ListReport:
    shown.begin(f"listing {origin.key}", 1)
    try:
        listing = await list_origin(db, corpus, origin)
        shown.advance()
    finally:
        shown.end()
    return listing


async def _fetch(
    db: Database,
    corpus: Corpus,
    origin: Origin,
    choices: OriginChoices,
    worker: str,
    shown: Progress,
    since: datetime | None,
) -> FetchReport:
    """Fetch until nothing is due here or in other hands, or the service refuses, after `since` where given."""
    recheck = cast(Sequence[WithheldKind], choices.recheck)
    whole = FetchReport(origin=origin.key)
    pace = Pace(seconds=choices.pace_s, jitter=0.5)
    while True:
        left = None if choices.limit is None else choices.limit - len(whole.fetched) - len(whole.without)
        part = await fetch_pending(
            db,
            corpus,
            origin,
            worker,
            shown,
            pace=pace,
            recheck=recheck,
            limit=left,
            wish=_wish(choices),
            without={item.item for item in whole.without},
            since=since,
        )
        whole.add(part)
        if not part.held or part.stopped is not None or left == 0:
            return whole
        recheck = ()  # once a run
        await asyncio.sleep(_WAIT_S)  # others are at the rest


def _wish(choices: OriginChoices) -> str:
    """Return the languages asked for as `fetch_pending` keeps them."""
    return ",".join(choices.languages) + ("+translated" if choices.translate else "")


async def _waiting(db: Database, corpus: Corpus, key: str, fetched: FetchReport, report: IngestReport) -> None:
    """Report what gave no words in an earlier run and was not due in this one: it is as it was."""
    now = datetime.now(UTC)
    met = {nothing.item for nothing in fetched.without}
    for item in await origins.items(db, corpus, key):
        state = item.state(now)
        if item.id in met or item.withheld is None or state not in ("skipped", "failed"):
            continue
        into = report.failed if state == "failed" else report.skipped
        into.append(LeftOut(f"{key}#{item.id}", _again(item.reason or "no reason was recorded", item.retry_at)))


async def _gone(db: Database, corpus: Corpus, key: str) -> list[Gone]:
    """Return the documents of items that no origin lists any more.

    Those of a feed are none: it lists what it likes, often its newest episodes and an old trailer.
    """
    gone = [item.id for item in await origins.items(db, corpus, key) if item.gone_at is not None]
    if key.startswith("rss:") or not gone:
        return []
    if (family := family_of(key)) != key:
        async with db.transaction() as conn:
            await origin_documents.hand_over(conn, corpus, key, gone, family=family)
    owners = await documents.document_sources(db, corpus)
    return [Gone(f"{key}#{item}", item) for item in sorted(gone) if owners.get(item) == f"{key}#{item}"]


async def _in_other_languages(db: Database, corpus: Corpus, key: str, choices: OriginChoices) -> str | None:
    """Say how many items have words in none of the languages asked for; they were fetched under other settings."""
    wanted = {primary(code.replace("_", "-").lower()) for code in choices.languages}
    if not wanted:
        return None
    found = await origins.fetched_languages(db, corpus, key)
    others = {code: count for code, count in found.items() if primary(code) not in wanted}
    if not others:
        return None
    there = ", ".join(f"{count} in {code}" for code, count in others.items())
    return f"fetched before in languages that are not asked for now, and kept: {there}"


def _into(report: IngestReport, key: str, listing: ListReport, fetched: FetchReport) -> None:
    report.added += fetched.added
    report.changed += fetched.changed
    report.unchanged += fetched.unchanged
    report.origins.append({**listing.as_json(), **fetched.as_json()})
    for item, reason in listing.left_out.items():
        report.skipped.append(LeftOut(f"{key}#{item}", reason))
    for nothing in fetched.without:
        into = report.failed if nothing.failed else report.skipped
        into.append(LeftOut(f"{key}#{nothing.item}", _again(nothing.reason, nothing.retry_at)))
    for item, notes in fetched.notes.items():
        report.notes[f"{key}#{item}"] = tuple(notes)
    if fetched.stopped is not None:
        report.stopped.append(f"{key}: {fetched.stopped}; {fetched.left} items are left")
    if fetched.resume_at is not None:
        report.resume_at = max(fetched.resume_at, report.resume_at or fetched.resume_at)


def _again(reason: str, retry_at: datetime | None) -> str:
    if retry_at is None:
        return f"{reason} (final)"
    return f"{reason} (looked at again from {retry_at.isoformat(timespec='minutes')})"
