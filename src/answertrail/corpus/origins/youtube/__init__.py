"""YouTube channels, playlists and videos as origins."""

from answertrail.corpus.origins.youtube.origin import YouTubeOptions, YouTubeOrigin, youtube_origin

__all__ = ["YouTubeOptions", "YouTubeOrigin", "youtube_origin"]
