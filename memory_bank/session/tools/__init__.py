"""The tools of a step: memory, reference library, web, and long-term memory."""
