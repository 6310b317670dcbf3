import pytest

from langchain_drift.retrieval.abstention import is_abstention
from langchain_drift.retrieval.reading import read


@pytest.mark.parametrize(
    "answer",
    [
        "I don't know.",
        "I do not have enough information to answer that.",
        "Sorry, I couldn't find that in the documents. Please contact support.",
        "The context does not mention a price.",
        "The provided documents don't contain this information.",
        "This is not specified in the manual.",
        "There is no information about refunds.",
        "No information is given about the price.",
        "It cannot be determined.",
        "I’m not sure.",
        "Das weiß ich leider nicht.",
        "No lo sé.",
        "Je ne sais pas.",
        "根据文档无法回答这个问题。",
        "わかりません。",
        "Sorry, I can't help with that.",
        "N/A",
        "Unknown",
        "not specified",
        "Nothing in the documents answers this.",
        "There's no mention of that.",
        "There is nothing about this in the text.",
        "The passage is silent on that.",
        "It isn't clear from the text.",
    ],
)
def test_an_answer_that_has_none_is_recognised(answer):
    """Saying that one does not know, or that the source does not tell, is an abstention."""
    assert is_abstention(read(answer))


@pytest.mark.parametrize(
    "answer",
    [
        "Paris.",
        "No.",
        "I'm not sure, but it was founded in 1902 by Ana Reis.",
        "The manual does not mention boats, but the kettle needs 230 volts from a socket.",
        "I don't know the exact date. The club was founded by Ana Reis in Porto.",
        "The cart does not have four wheels.",
        "Nobody knows who built the old stone bridge.",
        "We cannot help with refunds after 30 days.",
        "There is no water in this lake.",
        "Nothing grows in the crater.",
        "None.",
        "The builder of the bridge is unknown.",
        "",
    ],
)
def test_an_answer_that_claims_something_is_none(answer):
    """A claim beside the abstention makes it an answer that is judged."""
    assert not is_abstention(read(answer))
