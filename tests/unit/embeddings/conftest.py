"""Fakes shared by the tests of embedders."""

import hashlib

import numpy as np
import pytest
from langchain_core.embeddings import Embeddings


class CountingEmbeddings(Embeddings):
    """Gives each text a vector of its own and keeps a list of its calls."""

    def __init__(self):
        self.calls = []

    def embed_documents(self, texts):
        self.calls.append(list(texts))
        return [self.vector(text) for text in texts]

    def embed_query(self, text):
        return self.embed_documents([text])[0]

    @staticmethod
    def vector(text):
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
        return (np.frombuffer(digest, dtype=np.uint8)[:8] + 1.0).tolist()


class FixedEmbeddings(Embeddings):
    """Gives whatever it was made with, whatever it is asked."""

    def __init__(self, answer):
        self.answer = answer

    def embed_documents(self, texts):
        return self.answer

    def embed_query(self, text):
        return self.answer


@pytest.fixture
def counting():
    """Return an embedder that records its calls."""
    return CountingEmbeddings()


@pytest.fixture
def fixed():
    """Return the class of embedders with a fixed answer."""
    return FixedEmbeddings
