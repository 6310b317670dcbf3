"""Watch a client of the openai SDK: two customers at once, one of them streamed, offline.

Needs the extra `openai-sdk`: `pip install 'langchain-drift[openai-sdk]'`.
"""

import json

import httpx
from openai import OpenAI
from openai.types.chat import ChatCompletionMessageParam

from langchain_drift import wrap

BANK = "You are a banking assistant. Help with savings accounts, credit cards and loans."
ANSWERS = {
    "What do I need for a home loan?": "Proof of income, two tax returns and a down payment.",
    "How long does approval of the loan take?": "Loan approval takes five to ten days.",
    "Which credit card has no yearly fee?": "The blue credit card has no yearly fee.",
    "What's a good pasta recipe?": "Try carbonara: eggs, parmesan, pancetta and black pepper.",
}


def service(request: httpx.Request) -> httpx.Response:
    """Answer as OpenAI's service does, in one piece or word by word."""
    body = json.loads(request.content)
    answer = ANSWERS[body["messages"][-1]["content"]]
    about = {"id": f"chatcmpl-{len(answer)}", "created": 0, "model": body["model"]}
    if body.get("stream"):
        deltas = [{"content": f"{word} "} for word in answer.split()]
        chunks = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
        chunks.append({"index": 0, "delta": {}, "finish_reason": "stop"})
        kind = {**about, "object": "chat.completion.chunk"}
        lines = [f"data: {json.dumps({**kind, 'choices': [chunk]})}\n\n" for chunk in chunks]
        head = {"content-type": "text/event-stream"}
        return httpx.Response(200, headers=head, text="".join([*lines, "data: [DONE]\n\n"]))
    choice = {"index": 0, "finish_reason": "stop"}
    choice["message"] = {"role": "assistant", "content": answer}
    return httpx.Response(200, json={**about, "object": "chat.completion", "choices": [choice]})


offline = httpx.Client(transport=httpx.MockTransport(service))
client = wrap(OpenAI(api_key="none", http_client=offline), system_prompt=BANK)
# The hosted service by one line: client = wrap(OpenAI(), system_prompt=BANK)
ann, bob = client.with_conversation("ann"), client.with_conversation("bob")


def ask(of: OpenAI, history: list[ChatCompletionMessageParam], question: str) -> None:
    """Go on with a conversation."""
    history.append({"role": "user", "content": question})
    response = of.chat.completions.create(model="gpt-5-mini", messages=history)
    history.append({"role": "assistant", "content": response.choices[0].message.content or ""})


anns: list[ChatCompletionMessageParam] = []
bobs: list[ChatCompletionMessageParam] = []
ask(ann, anns, "What do I need for a home loan?")
ask(bob, bobs, "Which credit card has no yearly fee?")
ask(ann, anns, "How long does approval of the loan take?")

bobs.append({"role": "user", "content": "What's a good pasta recipe?"})
with bob.chat.completions.stream(model="gpt-5-mini", messages=bobs) as stream:
    for event in stream:
        if event.type == "content.delta":
            print(event.delta, end="", flush=True)
turn = client.drift.of(stream)
print(f"\n-> {turn.explanation if turn else None}\n")

print(client.drift)
for name in client.drift.conversations:
    report = client.drift_check(name)
    print(f"{name}: {report.drift.score:.0f}, left at turns {report.departures}")
