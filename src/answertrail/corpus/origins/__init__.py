"""Sources that are listed and fetched over a network: a channel, a playlist, a feed. One module each."""
