"""What a search has to say when the corpus's embedder does not read the language of the query."""

from __future__ import annotations

from collections.abc import Sequence

from answertrail.models.embedding.choice import cannot_read, reads
from answertrail.models.embedding.common_words import COMMON_WORDS
from answertrail.models.embedding.language import UNKNOWN, is_certain, language_name, languages_of

_FEW_WORDS = 5
"""Under so many words of Latin letters a query is too little to make a corpus again for."""


def unread_warnings(embedder: str, wordings: Sequence[str]) -> tuple[str, ...]:
    """Return a warning when an embedder of this name reads none of the wordings of a query; usually nothing.

    A wording it reads, such as a translation, makes up for the others. Hosted embedders may read
    anything, and a query in Latin letters of which too few are the commonest words may be in any
    language: neither is warned of. A language that shares its script is one the query looks like.
    """
    missing = [cannot_read(embedder, text) for text in wordings]
    if not missing or not all(missing):
        return ()
    codes = missing[0]
    names = " and ".join(map(language_name, codes))
    partly = "partly " if len(codes) < len(languages_of(wordings[0])) else ""
    sure = all(code == UNKNOWN or is_certain(code) for code in codes)
    known = ",".join(code for code in codes if code != UNKNOWN)
    again = f", make the corpus again with `ingest --asked-in {known}`" if known else ""
    if again and not sure:
        again += " (or the code of the language it is in)"
    if any(code in COMMON_WORDS for code in codes) and len(wordings[0].split()) < _FEW_WORDS:
        again = ""
    return (
        f"the query {'is' if sure else 'looks like it is'} {partly}in {names}, which the embedder {embedder} does not "
        f"read (it reads {reads(embedder)}), so only words, names and numbers that query and passage share count. Ask "
        f"in a language it reads{again}, or have the query translated (docs/search.md, Languages)",
    )
