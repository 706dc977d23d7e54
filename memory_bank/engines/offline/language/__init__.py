"""What the words of a sentence say: values with their units, dates, names, opposites, and what it is about."""
