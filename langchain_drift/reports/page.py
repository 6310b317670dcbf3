"""x"""


def report_html(x: object) -> str:
    """x"""
    return ""
