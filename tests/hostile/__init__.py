"""Bots that attack everything in reach, and what becomes of it under each layer."""
