"""Agentic Memory Bank."""
