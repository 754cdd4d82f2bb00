"""What an ingest finds to be no longer there: mended faults to forget, documents without a source."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from answertrail.corpus.discovery import Discovery
from answertrail.corpus.paths import exists, file_of, is_a, within
from answertrail.corpus.report import Gone
from answertrail.corpus.run import IngestRun
from answertrail.corpus.sources.loading import display
from answertrail.corpus.sources.manifest import LEVELS_UP, MANIFEST
from answertrail.store import documents, sources


async def forget_mended(run: IngestRun, roots: Sequence[str]) -> None:
    """Drop failures and skips of files that are gone, or were read again without that fault.

    What this ingest did not look at, because of `--include` for one, stays as it was.
    """
    for source, item in run.known.items():
        file = file_of(source, item.line)
        of_a_file_of_lines = item.state == "ok" and item.document_id is None
        if (item.state == "ok" and not of_a_file_of_lines) or source in run.touched or not within(file, roots):
            continue
        if not exists(file) or _was_read(run, file):
            async with run.db.transaction() as conn:
                await sources.forget(conn, run.corpus, source)


def _was_read(run: IngestRun, file: str) -> bool:
    """Whether this ingest read the file for a document, or as a manifest beside one; folders always are."""
    if file in run.read or is_a(file, stat.S_ISDIR):
        return True
    folder, name = os.path.split(file)
    return name == MANIFEST and any(folder in map(str, Path(read).parents[: LEVELS_UP + 1]) for read in run.read)


async def list_gone(run: IngestRun, roots: Sequence[str]) -> None:
    """List the documents whose file under the roots is gone, or was read and no longer gives them.

    A file with any fault counts as not read: what it gave before stays. So does what came from
    another file and was refused: it is there.
    """
    for document_id, source in (await documents.document_sources(run.db, run.corpus)).items():
        file = file_of(source)
        if document_id in run.given or document_id in run.refused:
            continue
        if file in run.faulty or not within(file, roots):
            continue
        if file in run.in_reach or not exists(file):
            run.report.gone.append(Gone(source, document_id))


def in_doubt(found: Discovery, roots: Sequence[str]) -> bool:
    """Whether something could not be looked at, so that what seems gone may only be out of sight.

    A folder that cannot be listed, a link that leads nowhere, a disk that was taken away. A file
    that is there and cannot be used is no such thing.
    """
    unseen = any(not is_a(file_of(item.source), stat.S_ISREG) for item in found.failed)
    return unseen or not all(exists(display(root)) for root in roots)


async def prune(run: IngestRun) -> None:
    """Delete the documents that the report lists as gone."""
    for item in run.report.gone:
        async with run.db.transaction() as conn:
            run.report.removed += await documents.delete(conn, run.corpus, item.document_id, source=item.source)
