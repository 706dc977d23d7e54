"""A session: the loop, how texts enter memory, the steps and their tools, and how answers are composed."""
