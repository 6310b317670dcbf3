def without_injection(text: str) -> tuple[str, bool]:
    return text, False
