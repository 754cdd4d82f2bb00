"""One peer reads, splits and stores a folder of files; run by `benchmarks.ingest_scale` in its own interpreter.

    python ingest_scale_peers.py llama_index|haystack|txtai FOLDER STORE

Prints one JSON line. Nothing is embedded: each peer keeps the texts and, where it has one, a keyword index.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path


def llama_index(folder: Path, store: Path) -> int:
    """SimpleDirectoryReader, SentenceSplitter, a document store written to disk."""
    from llama_index.core import SimpleDirectoryReader
    from llama_index.core.node_parser import SentenceSplitter
    from llama_index.core.storage.docstore import SimpleDocumentStore

    documents = SimpleDirectoryReader(str(folder)).load_data()
    nodes = SentenceSplitter(chunk_size=256, chunk_overlap=0).get_nodes_from_documents(documents)
    docstore = SimpleDocumentStore()
    docstore.add_documents(nodes)
    docstore.persist(str(store / "docstore.json"))
    return len(nodes)


def haystack(folder: Path, store: Path) -> int:
    """TextFileToDocument, DocumentSplitter, an in-memory store written to disk."""
    from haystack.components.converters import TextFileToDocument
    from haystack.components.preprocessors import DocumentSplitter
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    documents = TextFileToDocument().run(sources=sorted(folder.iterdir()))["documents"]
    splitter = DocumentSplitter(split_by="word", split_length=120, split_overlap=0)
    splitter.warm_up()
    parts = splitter.run(documents=documents)["documents"]
    held = InMemoryDocumentStore()
    held.write_documents(parts)
    held.save_to_disk(str(store / "store.json"))
    return len(parts)


def txtai(folder: Path, store: Path) -> int:
    """Paragraphs into a content database with a keyword index, saved."""
    from txtai import Embeddings

    held = Embeddings(keyword=True, content=True)
    rows = [
        (f"{path.stem}:{number}", part)
        for path in sorted(folder.iterdir())
        for number, part in enumerate(_parts(path.read_text()))
    ]
    held.index(rows)
    held.save(str(store / "index"))
    return len(rows)


def _parts(text: str, words: int = 120) -> list[str]:
    said = text.split()
    return [" ".join(said[at : at + words]) for at in range(0, len(said), words)]


def main() -> int:
    """Time one peer."""
    name, folder, store = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    run = {"llama_index": llama_index, "haystack": haystack, "txtai": txtai}[name]
    begun = time.monotonic()
    parts = run(folder, store)
    seconds = time.monotonic() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "peak_mb": peak, "parts": parts}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
