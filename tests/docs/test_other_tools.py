"""Each number of ``docs/other-tools.md``, recomputed from the counts on the page."""

import math
import re
from pathlib import Path
from statistics import NormalDist

import pytest

from tests.program import pwtourney

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "other-tools.md").read_text()
COUNTS = (16, 0, 48, 0, 48)
"""The pairs with 0, ½, 1, 1½ and 2 points."""

WON = 167
GAMES = 256
"""The games in the table: those of the test, and of 16 more pairs."""


def row(name: str) -> str:
    """Return the last cell of the row whose first cell begins with this name."""
    (line,) = re.findall(rf"^\| {re.escape(name)}.* \| ([^|]+) \|$", PAGE, re.MULTILINE)
    assert isinstance(line, str)
    return line


def test_numbers_of_the_duel_follow_from_its_counts() -> None:
    """By the definitions of fastchess and fishtest, written out here."""
    pairs = sum(COUNTS)
    shares = (0, 0.25, 0.5, 0.75, 1)
    points = sum(2 * x * n for x, n in zip(shares, COUNTS, strict=True))
    s = points / (2 * pairs)
    sigma = math.sqrt(sum(n * (x - s) ** 2 for x, n in zip(shares, COUNTS, strict=True)) / pairs)
    assert f"(Ptnml): {' – '.join(map(str, COUNTS))}; split" in PAGE
    assert row("Ptnml") == "–".join(map(str, COUNTS))
    assert (points, pairs, f"{100 * s:.1f}") == (144, 112, "64.3")
    assert "s = (48·1 + 48·2)/224 = 64.3 %" in PAGE
    assert "N = 112" in PAGE
    assert row("Wins, Losses") == f"144/80 = {points / (2 * pairs - points):.2f}"
    assert row("DrawRatio") == f"48/112 = {100 * COUNTS[2] / pairs:.1f} %"
    assert row("PairsRatio") == f"48/16 = {sum(COUNTS[3:]) / sum(COUNTS[:2]):.2f}"
    assert row("Elo") == f"400·log10(s/(1−s)) = {400 * math.log10(s / (1 - s)):+.0f}"
    assert row("nElo").endswith(f"= {(s - 0.5) / sigma * 800 / (math.sqrt(2) * math.log(10)):+.0f}")
    los = NormalDist().cdf((s - 0.5) / sigma * math.sqrt(pairs - 1))
    assert row("LOS").endswith(f"= {100 * los:.1f} %")
    assert row("LLR") == f"3.08/{math.log(19):.2f} = {100 * 3.08 / math.log(19):.0f} %"


def test_numbers_of_the_table_follow_from_its_games() -> None:
    """Two bots are equally far from their average, and each is the other's only opponent."""
    half = 200 * math.log10(WON / (GAMES - WON))
    assert f"won {WON} of {GAMES} games" in PAGE
    assert 2 * (sum(COUNTS) + 16) == GAMES
    assert row("RATING") == f"200·log10({WON}/{GAMES - WON}) = +{half:.0f}"
    assert row("OppAvg") == f"−{half:.0f}"
    assert row("PLAYED") == f"{GAMES}, {100 * WON / GAMES:.1f} %"


@pytest.mark.thorough
@pytest.mark.slow(20)
def test_duel_of_the_page_prints_what_it_shows(tmp_path: Path) -> None:
    """Each line is printed, where … stands for anything; the table has the other numbers."""
    (shown,) = re.findall(r"```text\n\$ pwtourney (.*?)```", PAGE, re.DOTALL)
    command, *lines = shown.splitlines()
    printed = pwtourney(*command.split(), "--quiet", at=tmp_path).stdout
    for line in lines:
        assert re.search(re.escape(line).replace("…", ".*"), printed), (line, printed)
    table = pwtourney("report", "duel-frugal-packer", "--format", "csv", at=tmp_path).stdout
    names, frugal, _ = (line.split(",") for line in table.splitlines())
    numbers = dict(zip(names, frugal, strict=True))
    assert (numbers["bot"], numbers["wins"], numbers["games"]) == ("frugal", str(WON), str(GAMES))
    assert row("ERROR") == f"{float(numbers['plus_minus']):.0f}"
    assert row("CFS") == f"{100 * float(numbers['los']):.1f} %"
    assert row("OppAvg") == f"−{-float(numbers['opponents_elo']):.0f}"
