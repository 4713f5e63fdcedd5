"""The commands as they are typed: options, arguments, help and examples.

The modules that their `program` names implement them, and are loaded when they are called. A new
option is declared here, passed to the function of the same name in ``cli/``, and described in
``docs/cli.md``; `refuse_options` in ``cli/common.py`` refuses options that do not go together.
"""

__all__ = ()
