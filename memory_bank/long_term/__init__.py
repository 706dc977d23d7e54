"""Long-term memory: records kept beyond one session, for users who turn it on."""
