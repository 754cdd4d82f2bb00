"""The Postgres server that AnswerTrail brings along: where it lives, how it starts and stops."""
