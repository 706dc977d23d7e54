"""Extract values from text (numbers, quantities, dates, times, names) and decide whether two agree."""
