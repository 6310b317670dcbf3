"""Track a conversation turn by turn, and see where it leaves its purpose and comes back."""

from langchain_drift import DriftTracker, FewShotExample

tracker = DriftTracker(
    system_prompt=(
        "You are a banking assistant for Acme Bank. Help customers with savings accounts, "
        "credit cards, loans and account inquiries."
    ),
    few_shot_examples=[
        FewShotExample(
            user="What interest rate do your savings accounts offer?",
            assistant="Our standard savings account offers 4.5% APY, the premium one 5.1%.",
        ),
    ],
)

conversation = [
    ("What do I need for a home loan?", "Proof of income, two tax returns and a down payment."),
    ("And the credit score?", "620 or more for most of our home loans."),
    ("What's a good pasta recipe?", "Try carbonara: eggs, parmesan, pancetta and black pepper."),
    ("How long do I boil the spaghetti?", "About nine minutes in salted water."),
    ("Back to the loan: how long does approval take?", "Loan approval takes five to ten days."),
]

for user, assistant in conversation:
    result = tracker.record_turn(user, assistant)
    mark = " <- left" if result.departed else " <- came back" if result.returned else ""
    print(f"{result.drift.score:5.1f} {result.drift.verdict:<9} {user}{mark}")
    print(f"      {result.explanation}")

report = tracker.check()
print(f"left at turns {report.departures}, came back at turns {report.returns}")
