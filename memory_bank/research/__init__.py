"""Research over memory: a question answered by rounds of planning, searching, integrating and reflecting."""
