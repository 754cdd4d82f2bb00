"""What a result was computed from and by: corpus, questions, program, platform."""

from __future__ import annotations

import platform
from dataclasses import dataclass

from answertrail.agent.provenance import code_ref
from answertrail.metrics.values import Json
from answertrail.records.run import CodeRef, CorpusRef


@dataclass(frozen=True, slots=True)
class Stamp:
    """Corpus snapshot (None when rankings were read from a file), hash of the questions, and the runtime."""

    questions_hash: str
    corpus: CorpusRef | None
    code: CodeRef
    python: str
    platform: str

    def runtime(self) -> Json:
        """Return program and platform as JSON."""
        return {"code": self.code.as_json(), "python": self.python, "platform": self.platform}


def stamp(questions_hash: str, corpus: CorpusRef | None = None) -> Stamp:
    """Return the stamp of a result made here and now. It holds no time, so that results rebuild byte for byte."""
    return Stamp(
        questions_hash, corpus, code_ref(), platform.python_version(), f"{platform.system()} {platform.machine()}"
    )
