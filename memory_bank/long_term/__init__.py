"""What is kept beyond one session, for those who turn it on (specification, section 5)."""
