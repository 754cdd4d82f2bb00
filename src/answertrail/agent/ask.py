"""What a run is given: the question, the recipe, the model, the one corpus, and the caps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from answertrail.agent.recipe import Recipe
from answertrail.agent.support import LexicalSupport, SupportCheck
from answertrail.models.chat.base import ChatModel
from answertrail.models.embedding.base import EmbeddingSpend
from answertrail.records.run import CorpusRef, Run
from answertrail.search.around import Surroundings
from answertrail.search.hits import ChunkRow, Filter, SearchResult
from answertrail.search.ranking import Mode


class Corpus(Protocol):
    """The one corpus a run may read."""

    @property
    def ref(self) -> CorpusRef:
        """Its name and snapshot."""
        ...

    @property
    def embedder_key(self) -> str:
        """The identity of the embedder its vectors came from."""
        ...

    @property
    def author(self) -> str | None:
        """The model that puts queries into the corpus's languages; None where none does."""
        ...

    @property
    def pending(self) -> int:
        """How many texts have no vector yet, since an ingest was not finished."""
        ...

    def spend(self) -> EmbeddingSpend | None:
        """What its embedder has cost so far; None for one that runs here."""
        ...

    async def search(
        self,
        query: str,
        *,
        mode: str | Mode,
        k: int,
        within: Filter,
        reworded: Sequence[str] = (),
        like: Sequence[str] = (),
    ) -> SearchResult:
        """Return exactly min(k, matching) hits; `like` are ids of passages that others are to be like."""
        ...

    async def read_around(self, chunk_id: str, before: int, after: int) -> Surroundings:
        """Return a chunk of the snapshot with up to so many neighbours on either side."""
        ...

    async def cited(self, ids: Iterable[str]) -> Mapping[str, ChunkRow]:
        """Return those of the ids that exist in the snapshot."""
        ...

    async def captioned(self, rows: Iterable[ChunkRow]) -> Mapping[str, str]:
        """Return the words as captioned, by id, of those of these chunks that show mended ones."""
        ...


class RunStore(Protocol):
    """Where evidence is kept while the run works, so that a crash loses nothing."""

    async def start(self, run: Run) -> None:
        """Keep a run that has begun; until finished its status is `interrupted`."""
        ...

    async def progress(self, run: Run) -> None:
        """Keep the run as it stands."""
        ...

    async def finish(self, run: Run) -> None:
        """Keep the run's last word."""
        ...


@dataclass(frozen=True, slots=True)
class Limits:
    """Caps checked before each model call. None is no cap.

    With `max_cost_usd` the model's price must be known, unless `allow_unknown_price`.
    """

    max_cost_usd: float | None = None
    max_tokens: int | None = None
    allow_unknown_price: bool = False


@dataclass(frozen=True, slots=True)
class Ask:
    """One question to one corpus."""

    question: str
    recipe: Recipe
    model: ChatModel
    corpus: Corpus
    limits: Limits = field(default_factory=Limits)
    support: SupportCheck = field(default_factory=LexicalSupport)
    question_id: str | None = None
    repeat: int | None = None
    tier: str | None = None
