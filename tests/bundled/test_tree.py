"""The search tree: its statistics, what it considers, and reuse after a move."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pwtourney_bots.tree import SOURCES, Knobs, Tree, grow, new_tree, transplant

from pwtourney.rules import State
from pwtourney.simulate.compile_cache import fingerprint
from pwtourney.simulate.games import Encoder
from tests.bundled.compiling import COMPILED
from tests.rules.positions import ORIGINAL
from tests.rules.walks import walks

pytestmark = [pytest.mark.slow, *COMPILED]


def grown_on(state: State, iterations: int, candidates: int = 3) -> tuple[Tree, int]:
    """Grow a tree on a position whose late patches are known; return it and its size."""
    made = new_tree(20_000)
    stream = np.array([7], dtype=np.uint64)
    arrays = Encoder(state.edition).encode(state)
    return made, grow(*arrays, stream, iterations, Knobs(candidates, 0.5), made, 1)


def children(made: Tree, node: int) -> range:
    """Return the children of a node."""
    first = int(made.first[node])
    return range(first, first + int(made.children[node])) if first >= 0 else range(0)


@settings(max_examples=50, deadline=None)
@given(state=walks(), candidates=st.integers(1, 6))
def test_nodes_of_a_tree_agree_with_the_rules(state: State, candidates: int) -> None:
    """Actions are legal, movers right, visits add up; values and priors are shares."""
    made, used = grown_on(state, 200, candidates)
    assert made.visits[0] == 200
    waiting = [(0, state)]
    seen = 0
    while waiting:
        node, here = waiting.pop()
        seen += 1
        actions = here.legal_actions()
        below = children(made, node)
        assert not below or sum(made.prior[child] for child in below) == pytest.approx(1, abs=1e-5)
        assert len({int(made.action[child]) for child in below}) == len(below)
        visits = sum(int(made.visits[child]) for child in below)
        assert not below or visits == made.visits[node] - (1 if node else 0)
        for child in below:
            assert made.mover[child] == here.to_move
            assert 0 <= made.total[child] <= made.visits[child]
            waiting.append((child, here.apply(actions[int(made.action[child])])))
    assert seen == used


@settings(max_examples=50, deadline=None)
@given(state=walks(), data=st.data())
def test_transplanted_subtree_is_identical(state: State, data: st.DataObject) -> None:
    """From any node on it has the same children in the same order, with all their values."""
    made, used = grown_on(state, 200)
    root = data.draw(st.integers(0, used - 1))
    into = new_tree(20_000)
    number = transplant(made, root, into, used)
    waiting, seen = [(root, 0)], 0
    while waiting:
        old, new = waiting.pop()
        seen += 1
        for name in ("visits", "children", "action", "mover", "total", "margin", "prior"):
            assert getattr(made, name)[old] == getattr(into, name)[new]
        waiting += zip(children(made, old), children(into, new), strict=True)
    assert seen == number


def test_full_tree_counts_iterations_without_growing() -> None:
    """With room for 100 nodes, all 5,000 iterations are counted."""
    state = State.start(ORIGINAL, 1)
    made = new_tree(100)
    stream = np.array([7], dtype=np.uint64)
    used = grow(*Encoder(ORIGINAL).encode(state), stream, 5000, Knobs(3, 0.5), made, 1)
    assert used <= 100
    assert made.visits[0] == 5000


def test_numba_notices_changes_of_inlined_functions() -> None:
    """The closure holds the fingerprint of all inlined sources, which numba's cache depends on."""
    held = [cell.cell_contents for cell in grow.py_func.__closure__]
    assert held == [fingerprint(*SOURCES)]
    drawn_in = {"kernel.py", "games.py", "placements.py", "evaluation.py"}
    assert {path.name for path in SOURCES} == drawn_in


def test_fingerprint_changes_with_the_content_of_any_file(tmp_path: Path) -> None:
    """It depends on nothing else."""
    first, second = tmp_path / "one.py", tmp_path / "two.py"
    first.write_text("1")
    second.write_text("2")
    before = fingerprint(first, second)
    assert fingerprint(first, second) == before
    second.write_text("3")
    assert fingerprint(first, second) != before


@pytest.mark.parametrize(("candidates", "iterations"), [(1, 3000), (20, 300)])
def test_longest_lines_have_room(candidates: int, iterations: int) -> None:
    """On a track of 999 spaces a narrow tree reaches the end."""
    patch = ORIGINAL.patches[0]
    long = ORIGINAL.replace(
        name="long", last_space=999, patches=(patch,), start_patch=patch.id, tile=None
    )
    made, _ = grown_on(State.start(long, 1), iterations, candidates)
    assert made.visits[0] == iterations
