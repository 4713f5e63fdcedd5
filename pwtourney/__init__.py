"""Fair, fast, trustworthy tournaments between programs that play Patchwork."""

__all__ = ["__version__"]

__version__ = "0.1.0"
