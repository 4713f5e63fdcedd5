"""``pwtourney editions``: which editions there are, and everything about one."""

import textwrap

import click

from pwtourney.rules import Edition, Patch, edition_names, find_edition, shape_rows
from pwtourney.sanitize import sanitize

__all__ = ["command"]

_WIDTH = 80


@click.command("editions")
@click.argument("name", required=False)
def command(name: str | None) -> int:
    """List the editions, or show one with its board, track, patches and sources.

    NAME is an edition's name or a .toml file of your own.
    """
    if name is None:
        for each in edition_names():
            edition = find_edition(each)
            size = f"{edition.rows} × {edition.columns}"
            click.echo(f"{each:<12} {size}, {len(edition.patches)} patches  {edition.title}")
        return 0
    for line in _describe(find_edition(name)):
        click.echo(sanitize(line))
    return 0


def _describe(edition: Edition) -> list[str]:
    late = edition.late
    declining = " (may be declined)" if edition.declining else ""
    lines = [f"{edition.name}: {edition.title}", f"fingerprint {edition.fingerprint()}", ""]
    if edition.description:
        lines += [*textwrap.wrap(" ".join(edition.description.split()), _WIDTH), ""]
    lines += [
        f"quilt board      {edition.rows} rows, {edition.columns} columns",
        f"time track       0 to {edition.last_space}",
        f"income marks     {_marks(edition.income_marks)}",
        f"special patches  {_marks(edition.leather_marks)}{declining}",
        f"special tile     {_tile(edition)}",
        f"start            {edition.start_buttons} {edition.currency}",
        f"neutral token    starts behind patch {edition.start_patch}",
        f"on offer         {edition.offer} patches",
    ]
    if late:
        entering = _marks(late.patches)
        lines.append(f"late patches     {entering}, when {late.when_left} are left in the circle")
    lines += ["", *_totals(edition), "", *_drawn(edition)]
    if edition.provenance:
        lines += ["Sources:", *textwrap.wrap(" ".join(edition.provenance.split()), _WIDTH)]
    return lines


def _marks(marks: tuple[int, ...]) -> str:
    return " ".join(map(str, marks)) or "none"


def _tile(edition: Edition) -> str:
    tile = edition.tile
    return f"{tile.points} points for {tile.size} × {tile.size} squares" if tile else "none"


def _totals(edition: Edition) -> list[str]:
    patches = edition.patches
    squares = sum(len(patch.shape) for patch in patches)
    cost, time, income = (sum(column) for column in zip(*(p[2:] for p in patches), strict=True))
    together = f"together they cost {cost} {edition.currency} and {time} time, and earn {income}"
    text = f"{len(patches)} patches with {squares} squares; {together}:"
    return textwrap.wrap(text, _WIDTH)


def _drawn(edition: Edition) -> list[str]:
    """Draw the patches in rows as wide as the page."""
    lines: list[str] = []
    row: list[list[str]] = []
    for patch in edition.patches:
        block = _block(patch)
        if row and sum(len(each[0]) + 2 for each in [*row, block]) > _WIDTH:
            lines += _side_by_side(row)
            row = []
        row.append(block)
    return lines + _side_by_side(row)


def _block(patch: Patch) -> list[str]:
    """Return a patch as text: its number, its shape, and cost/time/income, all of one width."""
    lines = [f"#{patch.id}", *shape_rows(patch.shape)]
    lines.append(f"{patch.cost}/{patch.time}/{patch.income}")
    width = max(map(len, lines))
    return [line.replace(".", " ").ljust(width) for line in lines]


def _side_by_side(row: list[list[str]]) -> list[str]:
    height = max(map(len, row))
    padded = [each[:-1] + [" " * len(each[0])] * (height - len(each)) + each[-1:] for each in row]
    return ["  ".join(parts).rstrip() for parts in zip(*padded, strict=True)] + [""]
