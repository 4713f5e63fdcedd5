"""Tables where people, bots and the Automa play, and the views of their pages."""

__all__ = ()
