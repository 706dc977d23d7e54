"""What the pages draw, one thing a file: plain values in, widgets out. No logic of the bank is here."""
