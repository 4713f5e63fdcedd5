"""The tree search bots: what they find, what they reuse, and when they stop."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from pwtourney_bots.champion import Champion
from pwtourney_bots.end_tree import EndTree
from pwtourney_bots.mcts import Mcts
from pwtourney_bots.node_tree import Judge, Room
from pwtourney_bots.searcher import Searcher
from pwtourney_bots.thinking import draw_late

from pwtourney.clock import Limit
from pwtourney.notation import read_action
from pwtourney.rules import SplitMix64, State
from pwtourney.sdk import Action, Turn
from tests.bundled.compiling import COMPILED
from tests.bundled.games import Ending, answer, play, ready
from tests.rules.positions import EXPRESS, ORIGINAL, player, position
from tests.sandbox.helpers import read_only
from tests.thorough import thorough_but

pytestmark = [pytest.mark.slow, *COMPILED]
SEARCHERS = pytest.mark.parametrize("bot", [Mcts, Champion])


def nodes(said: list[str]) -> int:
    """Return the number of iterations that a bot reports as `nodes`."""
    return int(said[-1].split()[1])


def heard(said: list[tuple[int, str]], seat: int, text: str) -> None:
    """Record the info text of a seat."""
    said.append((seat, text))


@SEARCHERS
def test_searcher_wins_most_solved_endgames(bot: type[Searcher], endings: list[Ending]) -> None:
    """Of 25 endgames that were solved over all actions it wins at least 23."""
    searcher = ready(bot(), ORIGINAL, iterations=1000)
    assert sum(answer(searcher, state) in winning for state, winning in endings) >= 23


def test_champion_solves_endgames(endings: list[Ending]) -> None:
    """With time for all placements it wins all 25 endgames, which were solved otherwise."""
    champion = ready(Champion(), ORIGINAL, iterations=50_000)
    for state, winning in endings:
        assert answer(champion, state) in winning
        assert isinstance(champion.tree, EndTree)
        assert champion.tree.wide.is_solved


def test_tree_without_room_is_not_solved(endings: list[Ending]) -> None:
    """With room for 100 nodes the wide tree is full, and the narrow one is used."""
    state = max(endings, key=lambda ending: len(ending[0].legal_actions()))[0]
    tree = EndTree(ORIGINAL, Judge(1, 0.35), Room(100, 20_000, 1 << 15))
    tree.take_root(state, [])
    for _ in range(1000):
        tree.grow(100)
    assert tree.narrow.is_solved
    assert not tree.wide.is_solved
    assert tree.is_decided(10**9)
    assert tree.choices()[0].action in state.legal_actions()
    assert len(tree.choices()) < len(state.legal_actions())


@SEARCHERS
def test_searcher_uses_its_time_and_no_more(
    bot: type[Searcher], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock advances 10 ms at each look: 88 looks fit into 875 ms, see `test_thinking`."""
    ticks = count()
    searcher = ready(bot(), ORIGINAL)
    searcher.clock = lambda: next(ticks) / 100
    monkeypatch.setattr(searcher.tree, "is_decided", lambda _: False)
    answer(searcher, State.start(ORIGINAL, 1), Limit(move_ms=1000))
    assert 88 <= next(ticks) <= 90


@SEARCHERS
@pytest.mark.parametrize(("clear", "looks"), [(True, 50), (False, 125)])
def test_searcher_thinks_longer_if_no_action_is_clearly_best(
    bot: type[Searcher], clear: bool, looks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half a second is planned of 12.05 s for 53 spaces; 2.5 times that if nothing is clear."""
    ticks = count()
    searcher = ready(bot(), ORIGINAL)
    searcher.clock = lambda: next(ticks) / 100
    monkeypatch.setattr(searcher.tree, "is_decided", lambda _: False)
    monkeypatch.setattr(searcher, "_is_clear", lambda: clear)
    answer(searcher, State.start(ORIGINAL, 1), Limit(mine_ms=12_045))
    assert looks <= next(ticks) <= looks + 3


@SEARCHERS
def test_hidden_order_is_drawn_four_times(
    bot: type[Searcher], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each draw has a quarter of the iterations; the action with the most visits is played."""
    searcher = ready(bot(), EXPRESS, iterations=400)
    roots: list[State] = []
    shares: Counter[Action] = Counter()
    take_root, think = searcher.tree.take_root, searcher._think

    def note_root(state: State, since: list[Action]) -> None:
        roots.append(state)
        take_root(state, since)

    def note_shares(*arguments: Any, **options: Any) -> int:
        iterations = think(*arguments, **options)
        assert iterations == 100
        shares.update({candidate.action: candidate.visits for candidate in searcher.tree.choices()})
        return iterations

    monkeypatch.setattr(searcher.tree, "take_root", note_root)
    monkeypatch.setattr(searcher, "_think", note_shares)
    choice = answer(searcher, State.start(EXPRESS, 1))
    assert len({root.late for root in roots}) == 4
    assert shares[choice] == max(shares.values())


@SEARCHERS
@pytest.mark.parametrize("iterations", [1, 2, 6, 30])
def test_draws_share_the_iterations(bot: type[Searcher], iterations: int) -> None:
    """The total of all draws is the configured number, which is reported."""
    searcher = ready(bot(), EXPRESS, iterations=iterations)
    said: list[str] = []
    searcher.say = said.append
    choice = answer(searcher, State.start(EXPRESS, 1))
    assert nodes(said) == iterations
    assert read_action(said[-1].split()[5].split(",")[0], State.start(EXPRESS, 1)) == choice


@pytest.mark.parametrize("buttons", range(0, 12, 2))
def test_action_solved_in_every_draw_is_played(buttons: int) -> None:
    """It leads to the best end of an Express game whose late patches stay hidden."""
    own, other = player(quilt=(1 << 30) - 1, buttons=buttons, income=2, space=28), player(space=29)
    state = position(
        own, other, base=State.start(EXPRESS, 1).hide_late(), circle=(1, 4, 7, 9, 11, 13)
    )
    ends = {action: state.apply(action) for action in state.legal_actions()}
    ends = {action: end for action, end in ends.items() if end.is_over and not end.pending}
    champion = ready(Champion(), EXPRESS, iterations=4000)
    choice = answer(champion, state)
    assert ends[choice].score(0) == max(end.score(0) for end in ends.values())


@SEARCHERS
def test_searcher_without_time_does_eight_iterations(bot: type[Searcher]) -> None:
    """The 16 ms are all reserved; eight iterations are done before the clock is first read."""
    searcher = ready(bot(), ORIGINAL)
    said: list[str] = []
    searcher.say = said.append
    answer(searcher, State.start(ORIGINAL, 1), Limit(move_ms=16))
    assert nodes(said) == 8


@SEARCHERS
def test_searcher_does_the_configured_number_of_iterations(bot: type[Searcher]) -> None:
    """100 are too few to decide early; the clock does not count."""
    searcher = ready(bot(), ORIGINAL, iterations=100)
    said: list[str] = []
    searcher.say = said.append
    answer(searcher, State.start(ORIGINAL, 1), Limit(move_ms=1))
    assert nodes(said) == 100


def test_searcher_stops_early_once_the_choice_is_decided(endings: list[Ending]) -> None:
    """With 100,000 iterations it stops when no other action can get as many visits."""
    searcher = ready(Champion(), ORIGINAL, iterations=100_000)
    said: list[str] = []
    searcher.say = said.append
    state, winning = next(ending for ending in endings if len(ending[0].legal_actions()) < 4)
    assert answer(searcher, state) in winning
    assert nodes(said) < 60_000


@SEARCHERS
def test_searcher_reports_playable_lines_while_it_searches(bot: type[Searcher]) -> None:
    """It reports after 1,024 iterations, after twice as many, and at the end."""
    searcher = ready(bot(), ORIGINAL, iterations=5000)
    said: list[str] = []
    searcher.say = said.append
    state = State.start(ORIGINAL, 1)
    choice = answer(searcher, state)
    counts = [int(text.split()[1]) for text in said]
    assert counts == sorted(counts)
    assert counts[:2] == [1024, 2048]
    for text in said:
        words = text.split()
        assert words[::2] == ["nodes", "score", "line"]
        after = state
        for action in words[5].split(","):
            after = after.apply(read_action(action, after))
    assert read_action(said[-1].split()[5].split(",")[0], state) == choice


@SEARCHERS
def test_tree_is_reused_after_both_sides_moved(bot: type[Searcher]) -> None:
    """After its own action and the reply, the visits of that subtree are kept."""
    searcher = ready(bot(), ORIGINAL, iterations=3000)
    said: list[str] = []
    searcher.say = said.append
    state = State.start(ORIGINAL, 1)
    first = answer(searcher, state)
    state = state.apply(first)
    played = []
    while state.to_move == 1:
        reply = answer(ready(bot(), ORIGINAL, iterations=3000), state)
        played.append(reply)
        state = state.apply(reply)
    searcher.choose(Turn(state, tuple(played), None, Limit()))
    assert searcher.root_visits > nodes(said) + 50


@SEARCHERS
def test_unrelated_position_is_searched_from_scratch(bot: type[Searcher]) -> None:
    """Visits of other positions do not count."""
    searcher = ready(bot(), ORIGINAL, iterations=500)
    said: list[str] = []
    searcher.say = said.append
    for seed in (1, 2, 1):
        action = answer(searcher, State.start(ORIGINAL, seed))
        assert action in State.start(ORIGINAL, seed).legal_actions()
        assert searcher.root_visits == nodes(said)


@SEARCHERS
def test_searcher_accepts_other_actions_than_its_own(bot: type[Searcher]) -> None:
    """In the analysis of a game its choices are not played; it still chooses legal actions."""
    searcher = ready(bot(), ORIGINAL, iterations=100)
    stream = SplitMix64(7)
    for seed in range(3):
        state = State.start(ORIGINAL, seed)
        played: tuple[Action, ...] = ()
        while not state.is_over:
            actions = state.legal_actions()
            assert searcher.choose(Turn(state, played, None, Limit())) in actions
            played = (actions[stream.next() % len(actions)],)
            state = state.apply(played[0])


def test_hidden_order_is_drawn_from_the_seed() -> None:
    """It is one of the possible orders; a known order stays the same."""
    state = State.start(EXPRESS, 1)
    drawn = [draw_late(state.hide_late(), SplitMix64(seed)).late for seed in (1, 1, 2)]
    assert {tuple(sorted(order)) for order in drawn} == {tuple(sorted(state.late))}
    assert drawn[0] == drawn[1] != drawn[2]
    assert draw_late(state, SplitMix64(1)) == state


@SEARCHERS
def test_too_large_quilt_boards_are_refused(bot: type[Searcher]) -> None:
    """The arrays have room for 128 squares; the error comes at the start of the game."""
    wide = ORIGINAL.replace(name="wide", rows=12, columns=12)
    with pytest.raises(ValueError, match="at most 128 squares; those of wide have 144"):
        ready(bot(), wide)


@pytest.mark.parametrize("bot", thorough_but([Mcts], [Mcts, Champion]))
def test_expected_margin_is_close_to_the_result(bot: type[Searcher]) -> None:
    """Before the last choices of games between equal bots it is within three points on average."""
    errors = []
    for seed in range(5):
        first, second = (ready(bot(), ORIGINAL, iterations=100) for _ in range(2))
        said: list[tuple[int, str]] = []
        first.say, second.say = partial(heard, said, 0), partial(heard, said, 1)
        end = play(first, second, ORIGINAL, seed)
        seat, text = said[-1]
        expected = float(text.split()[3])
        errors.append(abs(expected - (end.score(seat) - end.score(1 - seat))))
    assert sum(errors) / len(errors) < 3


def test_missing_numba_is_an_error_with_the_install_command() -> None:
    """The runner understands this error."""
    code = "import sys; sys.modules['numba'] = None; import pwtourney_bots.mcts"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    error = done.stderr.splitlines()[-1]
    assert error.startswith("pwtourney.sdk.bot.RequirementMissing: it needs numba")
    assert error.endswith(f"to install it: {sys.executable} -m pip install numba")


@pytest.mark.slow(15)
@pytest.mark.thorough
def test_prepared_champion_compiles_nothing_in_the_sandbox(
    tmp_path: Path, needs: Callable[[str], None]
) -> None:
    """Only the cache can be read there.

    The cache stays from one test run to the next.
    """
    needs("bwrap")
    cache, home = Path(os.environ["PWTOURNEY_CACHE_DIR"]) / "champion", tmp_path / "home"
    cache.mkdir(exist_ok=True)
    home.mkdir()
    environment = os.environ | {"PWTOURNEY_CACHE": str(cache)}
    prepare = [sys.executable, "-m", "pwtourney.sdk", "--prepare", "pwtourney_bots.champion"]
    subprocess.run(prepare, env=environment, check=True)
    code = (
        "from pwtourney.clock import Limit\n"
        "from pwtourney.rules import State, find_edition\n"
        "from pwtourney.sdk import GameStart, Turn\n"
        "from pwtourney_bots.champion import Champion\n"
        "from pwtourney_bots import nodes\n"
        "bot = Champion()\n"
        "bot.new_game(GameStart(find_edition('express'), 0, 1))\n"
        "bot.choose(Turn(State.start(find_edition('express'), 1), (), None, Limit(move_ms=100)))\n"
        "for function in (nodes.plant, nodes.grow_nodes, nodes.move_nodes):\n"
        "    stats = function.stats\n"
        "    print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))\n"
    )
    done = subprocess.run(
        [*read_only(home), sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "1 0\n" * 3
