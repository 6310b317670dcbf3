"""Words of a system prompt that tell the manner of answering, not a topic."""

from langchain_drift.text import content_words

_WORDS = """
    able accurate act agent always answer answers answering appropriate as ask assist assistant
    assistants assistance avoid based be best bold brief briefly bullet bullets bot calm can careful
    casual chat chatbot cheerful clear clearly clever complete concise concisely confidence content
    context conversation correct courteous creative detailed details direct do emoji emojis english
    ensure every exactly example examples expert explain explanation false field fields following
    follow form format formal friendly general give good great harmless helpful help helps honest
    human humorous informal information input instruction instructions intelligent json keep key
    keys kind language large length like limit line list long make manner markdown message
    messages mode model must named need never nice object output paragraph paragraphs perfect
    person plain please point points polite politely positive precise professional proper
    prose provide question questions quick reader reasoning reply request requests respectful
    respond response responses role say schema sentence sentences short simple smart speak
    speech step steps string structured style summary sure table tell terse text thing think
    thorough three tone true truthful try two one use useful user users using valid value values
    very voice way well witty word words write writing xml yaml you your single double quote quotes
    task tasks people person customer customers client clients anything everything something
    instructive trustworthy reliable knowledgeable capable powerful advanced ai artificial
    intelligence virtual digital personal openai gpt chatgpt claude llm system prompt
"""

STYLE_WORDS = frozenset(content_words(_WORDS))
"""Stemmed, as `content_words` gives them."""
