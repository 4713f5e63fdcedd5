"""The events that an examiner writes."""

import io
import json
from typing import Any

__all__ = ["Output"]


class Output(io.StringIO):
    """The standard output of an examiner; `whole` is what was flushed."""

    whole = ""

    def flush(self) -> None:
        """Note what was written."""
        self.whole = self.getvalue()

    @property
    def events(self) -> list[dict[str, Any]]:
        """The events that a server has received."""
        assert self.whole.endswith("\n") or not self.whole
        return [json.loads(line) for line in self.whole.splitlines()]
