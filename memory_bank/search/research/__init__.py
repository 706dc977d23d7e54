"""Research over memory: rounds of planning, searching, integrating and reflecting on a question."""
