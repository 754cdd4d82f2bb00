"""The built-in reader: answers in excerpts, each with its citation, without any model or key."""

from .compose import Statement
from .evidence import Hit, SearchResult, parse_result
from .plan import Search
from .reader import Actions, Reader, Submission

__all__ = ["Actions", "Hit", "Reader", "Search", "SearchResult", "Statement", "Submission", "parse_result"]
