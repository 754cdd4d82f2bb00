"""What the tests of YouTube share."""

from tests.corpus.origins.youtube_fixtures import answers, clock, opened, pace, youtube

__all__ = ["answers", "clock", "opened", "pace", "youtube"]
