"""What a bot says that cannot be played here for want of something that can be installed."""

__all__ = ["RequirementMissing"]


class RequirementMissing(ImportError):
    """Something that a bot needs is not installed; `install` is the command that installs it.

    Raise it while the bot is imported, or in `Bot.prepare`: the runner then starts nothing and
    says both in one line, instead of letting the bot lose all its games.
    """

    def __init__(self, message: str, *, install: str = "") -> None:
        super().__init__(f"{message}; to install it: {install}" if install else message)
        self.install = install
