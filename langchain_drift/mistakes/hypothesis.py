"""Guesses: feedback in which nobody is sure."""

import re

_READ = 4000
_HEDGE = re.compile(
    r"""\b(?:maybe|perhaps|probably|possibly|presumably|apparently|supposedly|hypothesis
    |my[ ]guess|not[ ]sure|unsure|unclear[ ](?:why|whether|if)|no[ ]idea[ ]why
    |I[ ](?:think|guess|suspect|believe|assume)|I'm[ ]guessing
    |might[ ](?:be|have[ ]been)[ ](?:because|due|caused)|could[ ]be[ ](?:because|due|that)
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)


def is_guess(feedback: str) -> bool:
    """Tell whether feedback is a guess about a cause and not an observation.

    The first 4,000 characters are read, for English hedges.
    """
    return bool(_HEDGE.search(feedback[:_READ]))
