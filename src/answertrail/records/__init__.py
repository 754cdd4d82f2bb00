"""The typed records of the contract. Imports nothing else of ours but the errors."""

from answertrail.records.base import Record, instant
from answertrail.records.document import Document, Segment
from answertrail.records.judgement import Label, Pair, Verdict
from answertrail.records.question import Evidence, Nugget, Question
from answertrail.records.resolution import Resolution
from answertrail.records.retrieval import RetrievalRun
from answertrail.records.run import Answer, Run, RunChunk, SearchRecord, Statement

__all__ = [
    "Answer",
    "Document",
    "Evidence",
    "Label",
    "Nugget",
    "Pair",
    "Question",
    "Record",
    "Resolution",
    "RetrievalRun",
    "Run",
    "RunChunk",
    "SearchRecord",
    "Segment",
    "Statement",
    "Verdict",
    "instant",
]
