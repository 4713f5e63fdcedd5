"""The bots that grow a tree: what they find, what they keep, and when they stop."""

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
from tests.bots.compiling import COMPILED
from tests.bots.games import Ending, answer, play, ready
from tests.rules.positions import EXPRESS, ORIGINAL, player, position
from tests.sandbox.helpers import read_only
from tests.thorough import thorough_but

pytestmark = [pytest.mark.slow, *COMPILED]
SEARCHERS = pytest.mark.parametrize("bot", [Mcts, Champion])


def nodes(said: list[str]) -> int:
    """Return how many iterations a bot says that it went: what it calls nodes."""
    return int(said[-1].split()[1])


def heard(said: list[tuple[int, str]], seat: int, text: str) -> None:
    """Note what a seat says."""
    said.append((seat, text))


@SEARCHERS
def test_it_sees_who_wins_at_the_end(bot: type[Searcher], endings: list[Ending]) -> None:
    """Of 25 ends that were thought out with all actions it wins 23 or more."""
    searcher = ready(bot(), ORIGINAL, iterations=1000)
    assert sum(answer(searcher, state) in winning for state, winning in endings) >= 23


def test_the_champion_solves_ends(endings: list[Ending]) -> None:
    """With time for all placements it wins 25 of 25 ends that were thought out otherwise."""
    champion = ready(Champion(), ORIGINAL, iterations=50_000)
    for state, winning in endings:
        assert answer(champion, state) in winning
        assert isinstance(champion.tree, EndTree)
        assert champion.tree.wide.is_solved


def test_what_does_not_fit_is_not_solved(endings: list[Ending]) -> None:
    """With room for a hundred nodes the tree says that it is full, and goes on as before."""
    state = max(endings, key=lambda each: len(each[0].legal_actions()))[0]
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
def test_it_uses_its_time_and_no_more(bot: type[Searcher], monkeypatch: pytest.MonkeyPatch) -> None:
    """With a clock that moves 10 ms at each look: 88 looks in the 875 ms that a second leaves."""
    ticks = count()
    searcher = ready(bot(), ORIGINAL)
    searcher.clock = lambda: next(ticks) / 100
    monkeypatch.setattr(searcher.tree, "is_decided", lambda _: False)
    answer(searcher, State.start(ORIGINAL, 1), Limit(move_ms=1000))
    assert 88 <= next(ticks) <= 90


@SEARCHERS
@pytest.mark.parametrize(("clear", "looks"), [(True, 50), (False, 125)])
def test_it_thinks_longer_where_it_matters(
    bot: type[Searcher], clear: bool, looks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half a second is planned of 12.05 in 53 spaces; 2.5 times as much if nothing is clear."""
    ticks = count()
    searcher = ready(bot(), ORIGINAL)
    searcher.clock = lambda: next(ticks) / 100
    monkeypatch.setattr(searcher.tree, "is_decided", lambda _: False)
    monkeypatch.setattr(searcher, "_is_clear", lambda: clear)
    answer(searcher, State.start(ORIGINAL, 1), Limit(mine_ms=12_045))
    assert looks <= next(ticks) <= looks + 3


@SEARCHERS
def test_a_hidden_order_is_drawn_four_times(
    bot: type[Searcher], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each with a quarter of the iterations, and what is played got the largest share of visits."""
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
        shares.update({each.action: each.visits for each in searcher.tree.choices()})
        return iterations

    monkeypatch.setattr(searcher.tree, "take_root", note_root)
    monkeypatch.setattr(searcher, "_think", note_shares)
    choice = answer(searcher, State.start(EXPRESS, 1))
    assert len({root.late for root in roots}) == 4
    assert shares[choice] == max(shares.values())


@SEARCHERS
@pytest.mark.parametrize("iterations", [1, 2, 6, 30])
def test_drawings_share_out_the_iterations(bot: type[Searcher], iterations: int) -> None:
    """As many as were asked for are made in all of them, and said."""
    searcher = ready(bot(), EXPRESS, iterations=iterations)
    said: list[str] = []
    searcher.say = said.append
    choice = answer(searcher, State.start(EXPRESS, 1))
    assert nodes(said) == iterations
    assert read_action(said[-1].split()[5].split(",")[0], State.start(EXPRESS, 1)) == choice


@pytest.mark.parametrize("buttons", range(0, 12, 2))
def test_what_is_solved_in_every_drawing_is_played(buttons: int) -> None:
    """The last action of an Express game whose late patches stay out: the one with the best end."""
    one, two = player(quilt=(1 << 30) - 1, buttons=buttons, income=2, space=28), player(space=29)
    state = position(
        one, two, base=State.start(EXPRESS, 1).hide_late(), circle=(1, 4, 7, 9, 11, 13)
    )
    ends = {action: state.apply(action) for action in state.legal_actions()}
    ends = {action: end for action, end in ends.items() if end.is_over and not end.pending}
    champion = ready(Champion(), EXPRESS, iterations=4000)
    choice = answer(champion, state)
    assert ends[choice].score(0) == max(end.score(0) for end in ends.values())


@SEARCHERS
def test_without_time_it_goes_a_few_rounds(bot: type[Searcher]) -> None:
    """With 16 ms, all of which are for the way: 8, as many as a first look takes."""
    searcher = ready(bot(), ORIGINAL)
    said: list[str] = []
    searcher.say = said.append
    answer(searcher, State.start(ORIGINAL, 1), Limit(move_ms=16))
    assert nodes(said) == 8


@SEARCHERS
def test_it_uses_the_configured_number_of_iterations(bot: type[Searcher]) -> None:
    """A hundred are too few for the choice to be decided early; the clock does not count."""
    searcher = ready(bot(), ORIGINAL, iterations=100)
    said: list[str] = []
    searcher.say = said.append
    answer(searcher, State.start(ORIGINAL, 1), Limit(move_ms=1))
    assert nodes(said) == 100


def test_what_is_decided_is_played_at_once(endings: list[Ending]) -> None:
    """With 100,000 iterations it stops once no other action can be looked at as often."""
    searcher = ready(Champion(), ORIGINAL, iterations=100_000)
    said: list[str] = []
    searcher.say = said.append
    state, winning = next(each for each in endings if len(each[0].legal_actions()) < 4)
    assert answer(searcher, state) in winning
    assert nodes(said) < 60_000


@SEARCHERS
def test_it_says_what_it_expects_while_it_searches(bot: type[Searcher]) -> None:
    """After 1024 iterations and twice as many, and at the end: lines that can be played."""
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
def test_the_tree_is_kept_for_what_follows(bot: type[Searcher]) -> None:
    """After its own action and the answer to it, what was looked at there is not lost."""
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
def test_a_position_out_of_the_blue_is_searched_from_scratch(bot: type[Searcher]) -> None:
    """What was found elsewhere does not count there."""
    searcher = ready(bot(), ORIGINAL, iterations=500)
    said: list[str] = []
    searcher.say = said.append
    for seed in (1, 2, 1):
        action = answer(searcher, State.start(ORIGINAL, seed))
        assert action in State.start(ORIGINAL, seed).legal_actions()
        assert searcher.root_visits == nodes(said)


@SEARCHERS
def test_what_it_chose_need_not_be_what_was_played(bot: type[Searcher]) -> None:
    """As in the analysis of a game: whatever follows its choices, it chooses what is legal."""
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


def test_a_hidden_order_is_drawn() -> None:
    """One of those that may be, from the seed; a known one stays as it is."""
    state = State.start(EXPRESS, 1)
    drawn = [draw_late(state.hide_late(), SplitMix64(seed)).late for seed in (1, 1, 2)]
    assert {tuple(sorted(each)) for each in drawn} == {tuple(sorted(state.late))}
    assert drawn[0] == drawn[1] != drawn[2]
    assert draw_late(state, SplitMix64(1)) == state


@SEARCHERS
def test_quilts_that_are_too_large_are_refused(bot: type[Searcher]) -> None:
    """The arrays have room for 128 squares; it says so when it hears of the game."""
    wide = ORIGINAL.replace(name="wide", rows=12, columns=12)
    with pytest.raises(ValueError, match="at most 128 squares; those of wide have 144"):
        ready(bot(), wide)


@pytest.mark.parametrize("bot", thorough_but([Mcts], [Mcts, Champion]))
def test_the_margin_that_it_expects_is_about_what_comes(bot: type[Searcher]) -> None:
    """Before the last choices of games between equals: on average within three points."""
    errors = []
    for seed in range(5):
        one, two = (ready(bot(), ORIGINAL, iterations=100) for _ in range(2))
        said: list[tuple[int, str]] = []
        one.say, two.say = partial(heard, said, 0), partial(heard, said, 1)
        end = play(one, two, ORIGINAL, seed)
        seat, text = said[-1]
        expected = float(text.split()[3])
        errors.append(abs(expected - (end.score(seat) - end.score(1 - seat))))
    assert sum(errors) / len(errors) < 3


def test_without_numba_it_says_what_to_install() -> None:
    """In a Python that cannot import it the error is one that the runner understands."""
    code = "import sys; sys.modules['numba'] = None; import pwtourney_bots.mcts"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    error = done.stderr.splitlines()[-1]
    assert error.startswith("pwtourney.sdk.bot.RequirementMissing: it needs numba")
    assert error.endswith(f"to install it: {sys.executable} -m pip install numba")


@pytest.mark.slow(15)
@pytest.mark.thorough
def test_what_is_prepared_is_found_in_the_sandbox(
    tmp_path: Path, needs: Callable[[str], None]
) -> None:
    """After `champion` was prepared nothing is compiled where only its cache can be read.

    The cache stays from one run of the tests to the next.
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
