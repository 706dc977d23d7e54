"""One ReAct step as messages: the prompt, the tool calls, and parsing of the answer."""
