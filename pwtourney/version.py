"""The version, in a module of its own: what needs it does not depend on all that is offered."""

__all__ = ["__version__"]

__version__ = "0.1.0"
