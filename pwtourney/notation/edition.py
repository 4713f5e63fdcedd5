"""An edition in words and drawings, for people."""

import textwrap

from pwtourney.rules import Edition, Patch, shape_rows

__all__ = ["describe_edition"]

_WIDTH = 80


def describe_edition(edition: Edition) -> list[str]:
    """Return lines with everything about an edition: board, track, patches and sources."""
    tile, late, patches = edition.tile, edition.late, edition.patches
    declining = " (may be declined)" if edition.declining else ""
    lines = [f"{edition.name}: {edition.title}", f"fingerprint {edition.fingerprint()}", ""]
    if edition.description:
        lines += [*textwrap.wrap(" ".join(edition.description.split()), _WIDTH), ""]
    lines += [
        f"quilt board      {edition.rows} rows, {edition.columns} columns",
        f"time track       0 to {edition.last_space}",
        f"income marks     {_list_numbers(edition.income_marks)}",
        f"special patches  {_list_numbers(edition.leather_marks)}{declining}",
        "special tile     "
        + (f"{tile.points} points for {tile.size} × {tile.size} squares" if tile else "none"),
        f"start            {edition.start_buttons} {edition.currency}",
        f"neutral token    starts behind patch {edition.start_patch}",
        f"on offer         {edition.offer} patches",
    ]
    if late:
        entering = _list_numbers(late.patches)
        lines.append(f"late patches     {entering}, when {late.when_left} are left in the circle")
    squares = sum(len(patch.shape) for patch in patches)
    cost = sum(patch.cost for patch in patches)
    time = sum(patch.time for patch in patches)
    income = sum(patch.income for patch in patches)
    together = (
        f"{len(patches)} patches with {squares} squares; together they cost {cost}"
        f" {edition.currency} and {time} time, and earn {income}:"
    )
    lines += ["", *textwrap.wrap(together, _WIDTH), "", *_draw_patches(patches)]
    if edition.provenance:
        lines += ["Sources:", *textwrap.wrap(" ".join(edition.provenance.split()), _WIDTH)]
    return lines


def _list_numbers(numbers: tuple[int, ...]) -> str:
    return " ".join(map(str, numbers)) or "none"


def _draw_patches(patches: tuple[Patch, ...]) -> list[str]:
    """Draw patches in rows as wide as the page, each with number, and cost/time/income below."""
    lines: list[str] = []
    row: list[list[str]] = []
    for patch in patches:
        # a block of lines of one width, however small the patch is, so that columns stay straight
        block = [f"#{patch.id}", *(line.replace(".", " ") for line in shape_rows(patch.shape))]
        block.append(f"{patch.cost}/{patch.time}/{patch.income}")
        width = max(map(len, block))
        block = [line.ljust(width) for line in block]
        if row and sum(len(drawn[0]) + 2 for drawn in [*row, block]) > _WIDTH:
            lines += _put_side_by_side(row)
            row = []
        row.append(block)
    return lines + _put_side_by_side(row)


def _put_side_by_side(row: list[list[str]]) -> list[str]:
    """Put blocks of lines next to each other; their last lines are level, and a gap follows."""
    height = max(map(len, row))
    padded = [
        [*block[:-1], *[" " * len(block[0])] * (height - len(block)), block[-1]] for block in row
    ]
    return ["  ".join(parts).rstrip() for parts in zip(*padded, strict=True)] + [""]
