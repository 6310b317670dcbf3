"""From context-drift-detector-py 0.1.0: the call stays, right answers are no drift any more.

Before:

    from context_drift_detector import detect

    report = detect(question, chunks, answer, threshold=0.65)
    if report.drift:
        print(report.drift_score, report.signals.answer_to_context)
"""

from langchain_drift import detect

question = "How many books may members borrow, and for how long?"
chunks = [
    "Members may borrow ten books for three weeks. Renewals are possible twice.",
    "Guests pay two euros a day at the desk near the stairs.",
]
for answer in ["Ten, for three weeks.", "Members may borrow fifty books for three weeks."]:
    old = detect(question, chunks, answer, method="jaccard")  # the numbers of before, to the digit
    new = detect(question, chunks, answer)
    print(f"{answer}\n  before: drift {old.drift}, {old.drift_score:.2f}")
    print(f"  now: drift {new.drift}, {new.drift_score:.2f}: {new.reason}")
