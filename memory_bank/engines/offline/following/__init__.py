"""What a question of a conversation means: whether it stands alone, what it points to, and how it reads in full."""
