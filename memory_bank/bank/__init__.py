"""What is stored: the three layers, and the events that add up to them."""
