"""The commands as they are typed: options, arguments, help and examples.

What they do is in the modules that their `program` names, which are loaded when they are called.
"""

__all__ = ()
