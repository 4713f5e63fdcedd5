"""The version, in a separate module so that its users do not load the whole package."""

__all__ = ["__version__"]

__version__ = "0.1.0"
