"""Bots with the mistakes that beginners make, in several languages, and their causes."""
