"""Who got how much against whom, as rows of cells."""

from pwtourney.standings import Pool

__all__ = ["MATRIX_NOTE", "matrix_headings", "matrix_rows"]

_SURE = 0.05
_VERY_SURE = 0.001

MATRIX_NOTE = (
    "Share of the points of the bot on the left, and games. * p < 0.05, ** p < 0.001 that bots of"
    " equal strength differ as much, clustered by deal and corrected (Holm) for all pairings."
)


def matrix_headings(pool: Pool) -> tuple[str, ...]:
    """Return the headings: the bots are numbered by rank."""
    return ("#", "Bot", *(str(line.rank) for line in pool.lines))


def matrix_rows(pool: Pool) -> list[tuple[str, ...]]:
    """Return a row a bot: its share against every other one."""
    met = {}
    for each in pool.meetings:
        sure = "" if each.p is None or each.p >= _SURE else "*" if each.p >= _VERY_SURE else "**"
        share = each.points / each.games
        met[each.first, each.second] = f"{100 * share:.0f}%{sure} /{each.games}"
        met[each.second, each.first] = f"{100 * (1 - share):.0f}%{sure} /{each.games}"
    return [
        (
            *(str(row.rank), row.bot),
            *(
                "·" if row is column else met.get((row.bot, column.bot), "–")
                for column in pool.lines
            ),
        )
        for row in pool.lines
    ]
