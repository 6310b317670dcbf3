"""Explain turns with the words and names of a spaCy pipeline; needs the `spacy` extra.

A blank pipeline needs no download. It lowercases words and leaves lemmas and names to what you
add: here two components of spaCy itself, one with the products of the bank. A trained pipeline
such as `spacy.load("en_core_web_sm")` finds lemmas and names on its own.
"""

import spacy

from langchain_drift import DriftTracker, explain_with
from langchain_drift.text import SpacyTextAnalyzer

PROMPT = "Help customers of Acme Bank with savings accounts, credit cards and loans."
TURNS = [
    ("Which card is best for travelling?", "The Gold Card: no fees in foreign currencies."),
    ("I broke my oven. Bake bread how?", "Baking in a pan works: knead, rest, then fry slowly."),
]

pipeline = spacy.blank("en")
pipeline.add_pipe("entity_ruler").add_patterns([{"label": "PRODUCT", "pattern": "Gold Card"}])
lemmas = {"card": ["cards"], "bake": ["baking"], "travel": ["travelling"], "break": ["broke"]}
pipeline.add_pipe("attribute_ruler").add_patterns(
    [
        {"patterns": [[{"LOWER": form}] for form in forms], "attrs": {"LEMMA": lemma}}
        for lemma, forms in lemmas.items()
    ]
)

plain = DriftTracker(system_prompt=PROMPT)
analyzed = DriftTracker(system_prompt=PROMPT, explain_fn=explain_with(SpacyTextAnalyzer(pipeline)))
for user, assistant in TURNS:
    built_in = plain.record_turn(user, assistant)
    result = analyzed.record_turn(user, assistant)
    print(f"{result.drift.score:.0f} {result.drift.verdict}: {user}")
    print(f"  built in:   {built_in.explanation}")
    print(f"  with spaCy: {result.explanation}")
