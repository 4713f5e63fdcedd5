"""A list of deals, one a line, as a game record writes them."""

from pwtourney.errors import EditionError, NotationError
from pwtourney.notation.token import number_list, parse_numbers
from pwtourney.rules import Deal, Edition, check_deal

__all__ = ["deals_text", "parse_deals"]

_MOST = 1_000_000


def deals_text(deals: tuple[Deal, ...]) -> str:
    """Write deals, a line each: ``CIRCLE LATE``."""
    return "".join(f"{number_list(each.circle)} {number_list(each.late)}\n" for each in deals)


def parse_deals(text: str, edition: Edition) -> tuple[Deal, ...]:
    """Read a list of deals of an edition; raises `NotationError` that names the line.

    A line holds the circle and, separated by a blank, the late patches (which may be absent where
    there are none); it may begin with ``deal``. Empty lines and those that begin with ``#`` are
    skipped.
    """
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        words = words[1:] if words[0] == "deal" else words
        if len(words) not in (1, 2):
            raise NotationError(f"line {number}: expected CIRCLE LATE, not {line[:60]!r}")
        try:
            circle, late = (parse_numbers(each, "a patch") for each in [*words, "-"][:2])
            deal = Deal(circle, late)
            check_deal(edition, deal)
        except (NotationError, EditionError) as error:
            raise NotationError(f"line {number}: {error}") from error
        found.append(deal)
        if len(found) > _MOST:
            raise NotationError(f"line {number}: more than {_MOST} deals")
    if not found:
        raise NotationError("it contains no deal")
    return tuple(found)
