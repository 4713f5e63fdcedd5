"""Why something that a page asks for is not done."""

from pwtourney.errors import UsageError

__all__ = ["Refusal"]


class Refusal(UsageError):
    """What a page asks for cannot be done, now or at all; `status` is that of the HTTP answer."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
