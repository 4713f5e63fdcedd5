"""Tests of what bots do before their first game."""
