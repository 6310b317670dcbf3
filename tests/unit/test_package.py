import importlib.resources
import json
import os
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version

import pytest

import langchain_drift

NAMES = [
    "Abstention",
    "ActionOutcome",
    "BudgetError",
    "CallableEmbeddingStrategy",
    "Cause",
    "ChatModelJudge",
    "ChunkRelevance",
    "ClientTurn",
    "Comparison",
    "CompositeStrategy",
    "ContextManager",
    "DriftCallbackHandler",
    "DriftClient",
    "DriftError",
    "DriftGuard",
    "DriftGuardMetrics",
    "DriftGuardRuntime",
    "DriftGuardSettings",
    "DriftReport",
    "DriftScore",
    "DriftScorer",
    "DriftSignals",
    "DriftState",
    "DriftTracker",
    "DriftTurn",
    "DriftVerdict",
    "EmbedderChangedError",
    "EmbeddingError",
    "Event",
    "FewShotExample",
    "FrozenContextError",
    "GuardRecord",
    "GuardReview",
    "GuardState",
    "GuardrailAcknowledgementRequired",
    "GuardrailTriggered",
    "InvalidInputError",
    "Judge",
    "JudgeVerdict",
    "KeywordStrategy",
    "LangGraphStore",
    "ManagedContext",
    "MemoryStore",
    "MiniLMEmbeddings",
    "MissingExtraError",
    "MistakeRecorder",
    "MistakeWarning",
    "OpenAIEmbeddingStrategy",
    "PairJudge",
    "Place",
    "PublishedFormulaStrategy",
    "PurposeStrategy",
    "RagCase",
    "Reinforcement",
    "RetrievedDocuments",
    "RetrieverDriftDetector",
    "RetrieverDriftEvaluator",
    "RetrieverDriftReport",
    "RetrieverDriftState",
    "Scope",
    "SentenceSupport",
    "SentenceTransformerStrategy",
    "SessionMemoryStore",
    "SessionSummary",
    "SpanJudge",
    "StoreError",
    "Strategy",
    "SummaryError",
    "ThreadReport",
    "TokenOverlapStrategy",
    "TurnEvidence",
    "TurnRecord",
    "TurnResult",
    "__version__",
    "add_guard",
    "adetect",
    "aread_summaries",
    "assert_no_retriever_drift",
    "build_runtime",
    "compare_actions",
    "create_async_retriever_drift_evaluator",
    "create_async_retriever_faithfulness_evaluator",
    "create_retriever_drift_evaluator",
    "create_retriever_faithfulness_evaluator",
    "detect",
    "detect_context_drift",
    "explain_with",
    "get_drift_callback",
    "guard_step",
    "guard_tool_call",
    "make_acknowledge_node",
    "make_end_session_node",
    "make_guard_node",
    "make_guard_route",
    "make_inject_node",
    "make_record_node",
    "make_retriever_drift_node",
    "make_retriever_drift_route",
    "make_score_node",
    "make_should_end_session",
    "plot_drift",
    "plot_grounding",
    "plot_mistakes",
    "read_summaries",
    "report_html",
    "review_payload",
    "route_drift",
    "route_guard",
    "score_table",
    "should_end_session",
    "thread_scope",
    "user_scope",
    "wrap",
]
HEAVY = {
    "torch",
    "spacy",
    "onnxruntime",
    "tokenizers",
    "langchain",
    "langgraph",
    "sentence_transformers",
    "numpy",
    "jinja2",
    "matplotlib",
    "networkx",
    "pydantic_settings",
    "langchain_openai",
    "openai",
    "anthropic",
    "transformers",
}


def loaded(code):
    """Return the top-level modules that a fresh process has loaded after running code."""
    report = "import json, sys; print(json.dumps(sorted({m.split('.')[0] for m in sys.modules})))"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{report}"], check=True, capture_output=True, text=True
    )
    return set(json.loads(done.stdout))


def test_the_public_names_are_these():
    """`__all__` is sorted and holds the expected names, no more and no fewer."""
    assert langchain_drift.__all__ == NAMES == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_resolves(name):
    """Every public name is there, is listed by `dir`, and is itself at the second use."""
    found = getattr(langchain_drift, name)
    assert getattr(langchain_drift, name) is found
    assert name in dir(langchain_drift)
    assert getattr(found, "__name__", name) == name


def test_an_unknown_name_is_an_attribute_error():
    """A name that is not there is the usual error, which names it."""
    with pytest.raises(AttributeError, match=r"'langchain_drift'.*'Nothing'"):
        _ = langchain_drift.Nothing
    assert not hasattr(langchain_drift, "Nothing")


def test_a_star_import_gives_all_names():
    """`from langchain_drift import *` gives every public name."""
    found = {}
    exec("from langchain_drift import *", found)  # noqa: S102 - the law is about it
    assert set(NAMES) <= set(found)


def test_the_import_loads_nothing_heavy():
    """`import langchain_drift` in a fresh process loads no model runtime and no framework."""
    assert not loaded("import langchain_drift") & HEAVY


def test_the_default_loads_no_torch():
    """A first score needs neither torch nor spaCy nor langgraph."""
    code = "import langchain_drift as d; d.DriftTracker('Help with cards.').record_turn('a', 'b')"
    light = {"numpy", "onnxruntime", "tokenizers"}
    assert not loaded(code) & (HEAVY - light)


def test_the_version_is_that_of_the_metadata():
    """The version in the package is the one that was installed."""
    try:
        installed = version("langchain-drift")
    except PackageNotFoundError:
        if os.environ.get("CI"):
            raise
        pytest.skip("langchain-drift is not installed")
    assert langchain_drift.__version__ == installed


def test_the_package_says_it_is_typed():
    """The marker for type checkers ships with the package."""
    files = importlib.resources.files("langchain_drift")
    assert (files / "py.typed").is_file()
