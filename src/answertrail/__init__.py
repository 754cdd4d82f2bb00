"""AnswerTrail: ask a bounded corpus, get an answer whose every citation was checked."""

__version__ = "0.1.0"
