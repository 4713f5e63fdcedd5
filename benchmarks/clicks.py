"""Measures what follows a real click until it is painted: the largest time of several clicks.

The clicks come from the browser (Chrome DevTools Protocol), as those of a mouse do. The time ends
with the task after the first frame in which the page shows what was wanted.
"""

import json
from collections.abc import Iterator
from typing import Any

from benchmarks.browsing import (
    GREEDY,
    IS_STILL,
    MY_TURN,
    PERSON,
    Browser,
    begin_game,
    format_answer,
    place_patch,
    wait_until,
)

__all__ = ["rows_of_clicks"]

_CLICKS = 6
_PLIES = 16
_ARM = """() => {
  let began = null;
  const note = ({ timeStamp }) => { began ??= timeStamp; };
  addEventListener("click", note, { capture: true, once: true });
  window.painted = new Promise((done) => {
    const look = () => requestAnimationFrame(() => {
      if (began !== null && (CONDITION)) setTimeout(() => done(performance.now() - began));
      else look();
    });
    look();
  });
}"""


def _click(page: Any, target: str, condition: str = "true") -> float:
    """Click on an element; return the milliseconds until a condition is true and painted.

    Without a condition it is the next frame, for what is drawn before the click has been handled.
    """
    page.evaluate(_ARM.replace("CONDITION", condition))
    page.click(target)
    milliseconds: float = page.evaluate("window.painted")
    return milliseconds


def _click_step(page: Any, target: str, selector: str) -> float:
    """Click on a step; return the milliseconds until the text that a selector finds has changed."""
    before = json.dumps(page.evaluate(f"document.querySelector('{selector}').textContent"))
    changed = f"document.querySelector('{selector}').textContent !== {before}"
    return _click(page, target, changed)


def rows_of_clicks(browser: Browser, address: str) -> Iterator[tuple[str, str, str]]:
    """Yield the slowest answer to each kind of click."""
    for name, times in _measure_table(
        browser, begin_game(browser, address, PERSON, GREEDY)
    ).items():
        yield f"{name}: the slowest of {len(times)} clicks", *format_answer(max(times))
    with browser.open(f"{address}analyse?game=0.0") as page:
        wait_until(page, "document.querySelector('#game .quilt')")
        times = [_click_step(page, "#on", "#what") for _ in range(_CLICKS)]
        times += [_click_step(page, "#back", "#what") for _ in range(_CLICKS)]
    yield f"analyse, a step: the slowest of {len(times)} clicks", *format_answer(max(times))
    with browser.open(f"{address}game/0.0") as page:
        wait_until(page, "document.querySelector('#large .quilt')")
        times = [_click_step(page, "#earlier", "#step") for _ in range(_CLICKS)]
        times += [_click_step(page, "#later", "#step") for _ in range(_CLICKS)]
    yield f"a game's page, a step: the slowest of {len(times)} clicks", *format_answer(max(times))
    with browser.open(f"{address}tournament") as page:
        tabs = page.evaluate("[...document.querySelectorAll('#tabs a')].map((a) => a.dataset.tab)")
        times = [
            _click(page, f"#tabs a[data-tab={tab}]", f"document.querySelector('#tab-{tab}.shown')")
            for tab in (*tabs[1:], tabs[0])
        ]
        yield f"tournament, a tab: the slowest of {len(times)} clicks", *format_answer(max(times))
        _click(page, "#tabs a[data-tab=games]")
        times = []
        for number in range(_CLICKS):
            row = f"#rows tr:nth-child({number + 1}) a"
            shown = f"document.querySelector('#rows tr:nth-child({number + 1})[aria-current]')"
            times.append(_click(page, row, f"{shown} && document.querySelector('#viewer.open')"))
    yield (
        f"tournament, a row of games: the slowest of {len(times)} clicks",
        *format_answer(max(times)),
    )


def _measure_table(browser: Browser, table: str) -> dict[str, list[float]]:
    """Play a part of a game against a bot; return the times of each kind of click."""
    times: dict[str, list[float]] = {
        "table, choose a card": [],
        "table, turn": [],
        "table, play": [],
        "table, advance": [],
        "table, step back": [],
    }
    with browser.open(table) as page:
        for ply in range(_PLIES):
            wait_until(page, f"({MY_TURN}) && {IS_STILL}")
            if page.evaluate("Boolean(pwtourney.state().over)"):
                break
            count = page.evaluate("pwtourney.state().plies.length")
            drawn = f"pwtourney.state().plies.length > {count}"
            if page.locator("[data-card]:not(.barred)").count() and ply % 4 != 3:
                card = "[data-card]:not(.barred)"
                held = "document.querySelector('[data-card][aria-pressed=true]')"
                times["table, choose a card"].append(_click(page, card, held))
                times["table, turn"].append(_click(page, "#turn"))
                if place_patch(page):
                    times["table, play"].append(_click(page, "#play", drawn))
                    continue
                page.keyboard.press("Escape")
            times["table, advance"].append(_click(page, "#advance", drawn))
        wait_until(page, f"({MY_TURN}) && {IS_STILL}")
        times["table, step back"] += [
            _click_step(page, "#earlier", "#step") for _ in range(_CLICKS)
        ]
    return {name: values for name, values in times.items() if values}
