"""What a search has to say when the corpus's embedder does not read the language of the query."""

from __future__ import annotations

from collections.abc import Sequence

from answertrail.models.embedding.choice import cannot_read, reads
from answertrail.models.embedding.language import UNKNOWN, language_name, languages_of


def unread_warnings(embedder: str, wordings: Sequence[str]) -> tuple[str, ...]:
    """Return a warning when an embedder of this name reads none of the wordings of a query; usually nothing.

    A wording it reads, such as a translation, makes up for the others. Hosted embedders may read
    anything, and a short query in Latin letters may be in any language: neither is warned of.
    """
    missing = [cannot_read(embedder, text) for text in wordings]
    if not missing or not all(missing):
        return ()
    codes = missing[0]
    names = " and ".join(map(language_name, codes))
    partly = "partly " if len(codes) < len(languages_of(wordings[0])) else ""
    known = ",".join(code for code in codes if code != UNKNOWN)
    again = f", make the corpus again with `ingest --asked-in {known}`" if known else ""
    return (
        f"the query is {partly}in {names}, which the embedder {embedder} does not read (it reads {reads(embedder)}), "
        f"so only words, names and numbers that query and passage share count. Ask in a language it reads{again}, or "
        "have the query translated (docs/search.md, Languages)",
    )
