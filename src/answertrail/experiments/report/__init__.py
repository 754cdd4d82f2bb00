"""Reports: what was measured, as tables and figures, written as HTML, Markdown or JSON."""
