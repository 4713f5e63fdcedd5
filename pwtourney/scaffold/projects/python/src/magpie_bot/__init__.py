"""Magpie, a bot that plays Patchwork."""
