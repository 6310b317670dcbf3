"""Score with any LangChain `Embeddings`, here a function in the place of a hosted model."""

import hashlib

import numpy as np

from langchain_drift import CallableEmbeddingStrategy, DriftTracker


def embed(text: str) -> list[float]:
    """Return the counts of hashed words: a stand-in for a call to your embedding service."""
    vector = np.full(512, 1e-3)
    for word in text.lower().split():
        vector[int(hashlib.sha256(word.strip(".,?!").encode()).hexdigest(), 16) % 512] += 1
    return vector.tolist()


tracker = DriftTracker(
    system_prompt="Help customers of a bank with savings accounts, credit cards and loans.",
    strategies=[CallableEmbeddingStrategy(embed, strategy_name="hashed words")],
)
# With langchain-openai, pass PurposeStrategy(OpenAIEmbeddings(model="text-embedding-3-small")).
result = tracker.record_turn("Which credit cards do you have?", "We have two credit cards.")
print(result.drift.strategy_scores)
