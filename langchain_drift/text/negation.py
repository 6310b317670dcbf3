"""Words that negate, in English, German, Spanish, French, Italian, Portuguese and Dutch."""

_LISTS = {
    "en": """no not never without cannot none neither nothing nobody nowhere non dont cant wont
        doesnt didnt isnt wasnt shouldnt mustnt ain't aren't can't couldn't didn't doesn't don't
        hadn't hasn't haven't isn't mightn't mustn't needn't shouldn't wasn't weren't won't
        wouldn't""",
    "de": "nicht kein keine keinem keinen keiner keines nie niemals niemand ohne nichts nein",
    "es": "no nunca jamás ni sin nada ningún ninguna ninguno tampoco nadie",
    "fr": "non pas jamais aucun aucune rien sans",
    "it": "non no mai senza niente nessun nessuna nessuno né",
    "pt": "não nunca nem sem nada nenhum nenhuma ninguém",
    "nl": "niet geen nooit niemand nee niets zonder",
}
NEGATIONS_BY_LANGUAGE = {code: frozenset(words.split()) for code, words in _LISTS.items()}
"""ISO 639-1 code to casefolded negating words."""

NEGATIONS = frozenset().union(*NEGATIONS_BY_LANGUAGE.values())
"""The negating words of all these languages."""
