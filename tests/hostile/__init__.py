"""Bots that attack everything in reach, and what happens to it under each layer."""
