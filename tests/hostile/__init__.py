"""Bots that attack everything they can reach, and the expected outcome under each layer."""
