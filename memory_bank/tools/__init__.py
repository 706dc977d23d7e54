"""What the acting agent may call."""
