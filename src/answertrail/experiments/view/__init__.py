"""Results as tables, once: the terminal, Markdown, HTML and data frames all show these."""
