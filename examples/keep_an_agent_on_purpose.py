"""An agent that is asked again when its reply leaves the purpose.

Needs the extra `langchain`: `pip install 'langchain-drift[langchain]'`.
"""

from fake_model import FakeModel
from langchain.agents import create_agent
from langgraph.checkpoint.memory import InMemorySaver

from langchain_drift import DriftMiddleware

PROMPT = "You are a banking assistant. Help with savings accounts, credit cards and loans."
model = FakeModel(
    "The Acme Rewards card costs 49 euros a year.",
    "Sure! Boil the spaghetti for nine minutes, and stir in eggs, cheese and pepper.",
    "I can only help with banking. Shall I tell you more about the card?",
)
# A hosted one by one line: model = ChatOpenAI(model="gpt-5-mini"), from langchain_openai.

agent = create_agent(
    model,
    system_prompt=PROMPT,
    middleware=[DriftMiddleware(PROMPT, on_drift="re_ask")],
    checkpointer=InMemorySaver(),
)
config = {"configurable": {"thread_id": "ann"}}
for question in ["What does the Acme Rewards card cost?", "How do I make carbonara?"]:
    state = agent.invoke({"messages": [("human", question)]}, config)
    print(f"{question}\n  {state['messages'][-1].text}\n  {state['drift']['explanation']}")

for rejected in agent.get_state(config).values["drift_rejected"]:
    print(f"not sent ({rejected['score']:.0f}): {rejected['assistant']}")
