"""Mending the slips of automatic captions with a model, under guards, each edit on record."""
