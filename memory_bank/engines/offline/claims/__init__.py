"""What a text claims: facts about a subject, within a scope and a period."""
