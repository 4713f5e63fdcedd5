"""The commands as they are typed: options, arguments, help and examples.

Each command imports the module of ``cli/`` that implements it when it is called. A new option is
declared here, passed to the function of the same name in ``cli/``, and described in
``docs/cli.md``. A command's tests are in ``tests/cli``, or with the module that does the work.
`refuse_options` in ``cli/common.py`` refuses options that do not go together;
``tests/cli/test_cli.py`` checks that. Options stand in the order of the help; `heading` begins a
group that reaches to the next one. A number in a range is a `click.IntRange`; `read_with` reads
everything else, with the errors of this project.
"""

__all__ = ()
