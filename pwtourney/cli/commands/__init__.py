"""The commands as they are typed: options, arguments, help and examples.

The modules that their `program` names implement them, and are loaded when they are called.
"""

__all__ = ()
