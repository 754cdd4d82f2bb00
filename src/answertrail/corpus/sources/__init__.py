"""Read transcripts, captions, notes and `document/1` files into documents."""

from answertrail.corpus.sources.group import PARSER_VERSION, Group
from answertrail.corpus.sources.outcome import Failure, Read, Skipped
from answertrail.corpus.sources.read import read

__all__ = ["PARSER_VERSION", "Failure", "Group", "Read", "Skipped", "read"]
