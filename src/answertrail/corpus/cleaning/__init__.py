"""Mending the slips of automatic captions with a model, under guards, each edit on record."""

from answertrail.corpus.cleaning.glossary import Glossary, read_glossary
from answertrail.corpus.cleaning.report import CleaningReport
from answertrail.corpus.cleaning.settings import CleaningSettings
from answertrail.corpus.cleaning.stage import clean_pending

__all__ = ["CleaningReport", "CleaningSettings", "Glossary", "clean_pending", "read_glossary"]
