"""Engines of other people, started in the ways that their languages and tools have."""
