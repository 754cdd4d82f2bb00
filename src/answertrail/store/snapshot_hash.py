"""The snapshot of a state that is in no database: what `corpora.snapshot` makes of rows, made of values."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import UTC

from answertrail.records.base import instant


def snapshot_of(chunks: Iterable[tuple[str, str, str | None]]) -> str:
    """Return the snapshot of triples (chunk id, hash of its text, `published_at` of its document), in any order.

    See `corpora.snapshot` for what is hashed. All triples are held at once, some 200 bytes each.
    """
    digest = hashlib.sha256()
    dates: dict[str | None, str] = {None: ""}
    # Code points sort as their UTF-8 does, which is the order of the database.
    for chunk_id, text_hash, published_at in sorted(chunks, key=lambda chunk: chunk[0]):
        if published_at not in dates:
            dates[published_at] = _date(published_at or "")
        line = f"{chunk_id}\t{text_hash}\t{dates[published_at]}\n"
        digest.update(line.encode("utf-8", "surrogatepass"))  # no database holds half a pair, so none has this hash
    return f"sha256:{digest.hexdigest()}"


def _date(text: str) -> str:
    moment = instant(text).astimezone(UTC).replace(tzinfo=None)
    return f"{moment.isoformat(timespec='microseconds')}Z"
