"""The error for a request of a page that the arena refuses."""

from pwtourney.errors import UsageError

__all__ = ["Refusal"]


class Refusal(UsageError):
    """Raised if the arena refuses the request of a page; `status` is the HTTP status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
