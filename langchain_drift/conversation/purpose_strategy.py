"""The default strategy: holds each turn against the purpose and filters over turns."""

import threading
from collections import OrderedDict
from typing import Any

import numpy as np
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray

from langchain_drift.conversation.background import Background, abackground, background, topics
from langchain_drift.conversation.drift_filter import Weights, probability
from langchain_drift.conversation.evidence import Evidence, gather
from langchain_drift.conversation.memory import Memory
from langchain_drift.conversation.purpose import Purpose
from langchain_drift.conversation.readable import is_readable, tells
from langchain_drift.conversation.reading import Reading
from langchain_drift.conversation.reference import Reference
from langchain_drift.conversation.refusal import MARKER, find_refusal
from langchain_drift.conversation.result import Abstention, TurnEvidence
from langchain_drift.conversation.strategy import Judgement, State, Strategy, check_complete
from langchain_drift.conversation.turn import Turn
from langchain_drift.embeddings import as_embeddings, default_embeddings
from langchain_drift.embeddings.vectors import aembed, check_dimensions, embed
from langchain_drift.errors import InvalidInputError
from langchain_drift.text import content_words

_KEPT_REFERENCES = 64
_LEAST_SUBSTANCE = 0.05
_SHOWN_WORDS = 8


class PurposeStrategy(Strategy):
    """Score every turn by how well it fits the purpose, beside how well anything else would.

    Args:
        embeddings: Any LangChain `Embeddings`, or what `as_embeddings` accepts; by default the
            bundled MiniLM, which reads English.
        weights: Learned constants; by default those that ship with the package.
        off_topic_marker: Words the assistant is told to say when it declines; one more sign of
            a refusal. None for no marker.
        name: The name of its score.
    """

    def __init__(
        self,
        embeddings: object | None = None,
        *,
        weights: Weights | None = None,
        off_topic_marker: str | None = MARKER,
        name: str = "purpose",
    ) -> None:
        self.name = name
        self.weights = weights or Weights.shipped()
        self.off_topic_marker = off_topic_marker
        self._given = None if embeddings is None else as_embeddings(embeddings)
        self._references: OrderedDict[Purpose, Reference] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def embeddings(self) -> Embeddings:
        """The embedder in use."""
        return self._given or default_embeddings()

    def with_weights(self, weights: Weights) -> "PurposeStrategy":
        """Return the same strategy with other learned constants."""
        return PurposeStrategy(
            self._given, weights=weights, off_topic_marker=self.off_topic_marker, name=self.name
        )

    def start(self) -> State:
        """Return the state before the first turn."""
        return {
            "fingerprint": "",
            "score": 100.0,
            "reads": None,
            "memory": dict(self.weights.begin().dump()),
        }

    def step(self, purpose: Purpose, state: State, turn: Turn) -> tuple[State, Judgement]:
        """Judge a turn; one embedder call."""
        reading = Reading.of(turn)
        state, reason = self._hear(purpose, state, reading)
        if reason:
            return state, Judgement(score=state["score"], abstained=reason)
        reference = self._known(purpose) or self._learn(
            purpose, background(self.embeddings), embed(self.embeddings, _texts(purpose))
        )
        return self._judge(reference, state, reading, embed(self.embeddings, reading.texts))

    async def astep(self, purpose: Purpose, state: State, turn: Turn) -> tuple[State, Judgement]:
        """Judge a turn without blocking the event loop."""
        reading = Reading.of(turn)
        state, reason = self._hear(purpose, state, reading)
        if reason:
            return state, Judgement(score=state["score"], abstained=reason)
        embeddings = self.embeddings
        reference = self._known(purpose) or self._learn(
            purpose, await abackground(embeddings), await aembed(embeddings, _texts(purpose))
        )
        return self._judge(reference, state, reading, await aembed(embeddings, reading.texts))

    def _judge(
        self, reference: Reference, state: State, reading: Reading, embedded: NDArray[np.float32]
    ) -> tuple[State, Judgement]:
        fingerprint = reference.background.fingerprint
        if state["fingerprint"] not in ("", fingerprint):
            message = (
                f"This conversation was scored with the embedder {state['fingerprint']}, not with "
                f"{fingerprint}. Score it again from its first turn, or pass that embedder."
            )
            raise InvalidInputError(message)
        check_dimensions(self.embeddings, embedded, reference.background.abouts.shape[1])
        memory, vectors = Memory.load(state["memory"]), reading.vectors(embedded)
        evidence = gather(reference, memory, reading, vectors)
        refusal = find_refusal(
            reading.turn.user, reading.turn.assistant, marker=self.off_topic_marker
        )
        shown = self._show(reference, reading, evidence, cue=refusal.cue if refusal else "")
        if refusal:
            judgement = Judgement(score=state["score"], evidence=shown, refused=True)
            return {**state, "fingerprint": fingerprint}, judgement
        odds = self.weights.filtered(memory, evidence, is_injection=reading.is_injection)
        later = memory.after(
            vectors.exchange,
            z=evidence.exchange.z,
            off=probability(odds),
            substance=reading.substance,
            gate=self.weights.gate_of(self.weights.features(evidence)),
        )
        score = self.weights.score(odds)
        new = {**state, "fingerprint": fingerprint, "score": score, "memory": dict(later.dump())}
        return new, Judgement(score=score, evidence=shown)

    def _hear(
        self, purpose: Purpose, state: State, reading: Reading
    ) -> tuple[State, Abstention | None]:
        """Return the state with what the turn tells of its language, and why it is not judged."""
        check_complete(state, ("fingerprint", "score", "reads", "memory"))
        if not reading.turn.assistant.strip():
            return state, Abstention.NO_REPLY
        if not purpose.names_topic:
            return state, Abstention.NO_TOPIC
        if reading.substance < _LEAST_SUBSTANCE:
            return state, Abstention.NOTHING_TO_JUDGE
        languages = getattr(self.embeddings, "languages", None)
        if not languages:
            return state, None
        told = tells(languages, reading.text)
        heard = {**state, "reads": state["reads"] if told is None else told}
        # A prompt that is a bare list of topics tells no language: it has that of the chat.
        is_read = is_readable(languages, reading.text, before=state["reads"])
        if is_read and tells(languages, purpose.prompt) is not False:
            return heard, None
        return heard, Abstention.UNSUPPORTED_LANGUAGE

    def _show(
        self, reference: Reference, reading: Reading, evidence: Evidence, *, cue: str
    ) -> TurnEvidence:
        found = dict.fromkeys(content_words(reading.text))
        vocabulary = reference.purpose.vocabulary
        alone = self.weights.log_odds(evidence, is_injection=reading.is_injection)
        best = evidence.exchange
        sounds = best.nearness
        return TurnEvidence(
            nearest=reference.purpose.statements[best.statement],
            similarity=best.cosine,
            related=topics()[sounds.topic].about,
            related_similarity=sounds.topic_cosine,
            rival=topics()[sounds.rival].about,
            rival_similarity=sounds.rival_cosine,
            on_purpose=1 - probability(alone),
            user_on_purpose=1 - probability(self.weights.text_log_odds(evidence.user_static)),
            substance=reading.substance,
            coverage=reading.coverage,
            known_words=tuple(word for word in found if word in vocabulary)[:_SHOWN_WORDS],
            new_words=tuple(word for word in found if word not in vocabulary)[:_SHOWN_WORDS],
            cue=cue,
            is_injection=reading.is_injection,
        )

    def _known(self, purpose: Purpose) -> Reference | None:
        with self._lock:
            found = self._references.get(purpose)
            if found:
                self._references.move_to_end(purpose)
            return found

    def _learn(
        self, purpose: Purpose, cohort: Background, vectors: NDArray[np.float32]
    ) -> Reference:
        check_dimensions(self.embeddings, vectors, cohort.abouts.shape[1])
        reference = Reference(purpose, cohort, vectors)
        with self._lock:
            self._references[purpose] = reference
            while len(self._references) > _KEPT_REFERENCES:
                self._references.popitem(last=False)
        return reference

    def __getstate__(self) -> dict[str, Any]:
        """Leave the lock and the cache behind."""
        kept = {key: value for key, value in vars(self).items() if key != "_lock"}
        return kept | {"_references": OrderedDict()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Start with a lock of its own."""
        vars(self).update(state, _lock=threading.Lock())


def _texts(purpose: Purpose) -> list[str]:
    return [*purpose.statements, *purpose.forbidden]
