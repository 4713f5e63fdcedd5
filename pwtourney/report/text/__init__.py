"""The report as text: for a terminal, in Markdown, for programs, and for pull requests."""

__all__ = ()
