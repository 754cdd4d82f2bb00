"""Podcasts as an origin: RSS feeds with the transcripts of Podcasting 2.0."""

from answertrail.corpus.origins.rss.origin import RssOptions, RssOrigin, rss_origin

__all__ = ["RssOptions", "RssOrigin", "rss_origin"]
