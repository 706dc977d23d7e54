"""Persistence: the event log, sessions, export and import, images waiting to be read."""
