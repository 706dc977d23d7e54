"""Values in a text, read exactly: numbers, quantities with units, dates, times, names; and whether two agree."""
