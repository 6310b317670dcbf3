"""Where events are kept: one small protocol and the stores that fulfil it."""
