"""The tree whose nodes keep their positions: what it says of them, and what is carried over."""

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pwtourney_bots.graph import CHILD, SEEN, SOLVED
from pwtourney_bots.node_tree import Judge, NodeTree, Room
from pwtourney_bots.nodes import NODE_SOURCES, grow_nodes, plant
from pwtourney_bots.steps import VISITS

from pwtourney.rules import ADVANCE, DECLINE, Edition, State, Tile
from pwtourney.simulate.compile_cache import fingerprint
from tests.bots.compiling import COMPILED
from tests.bots.games import Ending
from tests.rules.positions import EDITIONS, ORIGINAL, player, position
from tests.rules.walks import walks

pytestmark = [pytest.mark.slow, *COMPILED]
SMALL = Room(nodes=5_000, edges=50_000, quilts=1 << 14)


def grow_on(state: State, iterations: int, candidates: int = 3) -> NodeTree:
    """Grow a tree on a position whose late patches are known."""
    tree = NodeTree(state.edition, Judge(candidates, 0.5), SMALL)
    tree.take_root(state, [])
    tree.grow(iterations)
    return tree


def skip_forced(state: State) -> State:
    """Advance, as long as who is to move can pay for nothing on offer."""
    edition = state.edition
    while not state.is_over and not state.pending:
        buttons = state.players[state.to_move].buttons
        if any(edition.patch[patch].cost <= buttons for patch in state.circle[: edition.offer]):
            break
        state = state.apply(ADVANCE)
    return state


def find_best_line(tree: NodeTree, node: int, mover: int) -> float:
    """Return what the best line from a node is worth to its mover, by looking at all of them."""
    edges = tree.edges(node)
    if edges:
        return max(float(tree.graph.lines[edge]) for edge in edges)
    value = float(tree.graph.sums[node, 0] / tree.graph.nodes[node, VISITS])
    return 1 - value if mover else value


@cache
def think_out(state: State, seat: int) -> tuple[bool, int]:
    """Return whether a seat wins with the best play of both, and its margin."""
    if state.is_over and not state.pending:
        return state.winner == seat, state.score(seat) - state.score(1 - seat)
    ends = (think_out(state.apply(action), seat) for action in state.legal_actions())
    return max(ends) if state.to_move == seat else min(ends)


def test_what_is_solved_is_what_all_lines_come_to(endings: list[Ending]) -> None:
    """Of 25 ends that were thought out with all actions, each is solved: the action, the margin."""
    for state, winning in endings:
        tree = NodeTree(state.edition, Judge(81, 0.5), Room(100_000, 500_000, 1 << 16))
        tree.take_root(state, [])
        for _ in range(50):
            tree.grow(1000)
            if tree.is_solved:
                break
        assert tree.is_solved
        first = tree.choices()[0]
        assert first.action in winning
        assert first.margin == pytest.approx(think_out(state, state.to_move)[1])


@pytest.mark.thorough
@settings(max_examples=60, deadline=None)
@given(state=walks(), candidates=st.integers(1, 8))
def test_every_node_holds_the_position_that_the_rules_say(state: State, candidates: int) -> None:
    """After legal actions, none twice, and forced advances; visits, priors and lines agree."""
    if state.is_over:
        return
    tree = grow_on(state, 200, candidates)
    assert tree.visits == 200
    waiting, seen = [(0, state)], 0
    while waiting:
        node, here = waiting.pop()
        seen += 1
        assert tree.holds(node, here)
        edges = tree.edges(node)
        actions = [tree.action(node, edge) for edge in edges]
        assert len(set(actions)) == len(actions)
        assert all(action in here.legal_actions() for action in actions)
        graph = tree.graph
        assert not edges or sum(graph.priors[edge] for edge in edges) == pytest.approx(1, abs=1e-5)
        visits = sum(int(graph.edges[edge, SEEN]) for edge in edges)
        own = 1 if node else 0
        if edges and all(graph.edges[edge, SOLVED] for edge in edges):
            assert visits <= graph.nodes[node, VISITS] - own  # it is not followed any more
        elif edges:
            assert visits == graph.nodes[node, VISITS] - own
        for edge, action in zip(edges, actions, strict=True):
            assert 0 <= graph.totals[edge] <= graph.edges[edge, SEEN]
            child = int(graph.edges[edge, CHILD])
            if child >= 0:
                after = skip_forced(here.apply(action))
                waiting.append((child, after))
                best = find_best_line(tree, child, after.to_move)
                expected = best if after.to_move == here.to_move else 1 - best
                assert graph.lines[edge] == pytest.approx(expected, abs=1e-5)
    assert seen == tree.graph.used[0]


def test_an_end_is_worth_what_the_score_says() -> None:
    """Broke on the last spaces: one line, worth half for winning and half for 24 points of 44."""
    state = position(
        player(quilt=ORIGINAL.full >> 10, buttons=0, space=52),
        player(quilt=ORIGINAL.full >> 23, buttons=2, space=53),
        circle=(),
    )
    tree = grow_on(state, 10)
    end = state.apply(ADVANCE)
    margin = end.score(0) - end.score(1)
    assert end.is_over
    assert tree.value == pytest.approx(0.5 + 0.25 + 0.25 * margin / (20 + margin))
    assert tree.choices()[0].margin == pytest.approx(margin)


@settings(max_examples=40, deadline=None)
@given(state=walks(), data=st.data())
def test_what_is_known_of_a_move_is_kept(state: State, data: st.DataObject) -> None:
    """After an action of the root, its visits are those of the new root, choice by choice."""
    if state.is_over:
        return
    tree = grow_on(state, 300)
    edge = data.draw(st.sampled_from([*tree.edges(0)]))
    child = int(tree.graph.edges[edge, CHILD])
    action = tree.action(0, edge)
    after = state.apply(action)
    if child < 0 or after.is_over:
        return
    known = [
        (tree.action(child, each), int(tree.graph.edges[each, SEEN])) for each in tree.edges(child)
    ]
    visits = int(tree.graph.nodes[child, VISITS])
    played = [action]
    forced = skip_forced(after)
    while after != forced:
        after = after.apply(ADVANCE)
        played.append(ADVANCE)
    tree.take_root(after, played)
    assert tree.visits == visits
    assert tree.holds(0, after)
    assert sorted(known) == sorted((choice.action, choice.visits) for choice in tree.choices())
    tree.grow(50)
    assert tree.visits == visits + 50


@pytest.mark.parametrize("room", ["nodes", "edges", "quilts"])
def test_a_full_tree_is_gone_through_and_grows_no_more(room: str) -> None:
    """With too little room for anything of it, all 5,000 iterations are counted."""
    limits = SMALL._replace(**{room: {"nodes": 100, "edges": 600, "quilts": 256}[room]})
    tree = NodeTree(ORIGINAL, Judge(3, 0.5), limits)
    tree.take_root(State.start(ORIGINAL, 1), [])
    tree.grow(5000)
    assert tree.visits == 5000
    assert tree.graph.used[0] <= limits.nodes
    assert tree.graph.used[1] <= limits.edges


@pytest.mark.parametrize("edition", EDITIONS, ids=lambda edition: edition.name)
def test_declining_is_looked_at_where_the_edition_allows_it(edition: Edition) -> None:
    """Next to the best squares for a special patch, and nowhere else."""
    state = State.start(edition, 1)
    state = state._replace(pending=1)
    actions = [choice.action for choice in grow_on(state, 50).choices()]
    assert (DECLINE in actions) == edition.declining
    assert len(actions) == 3 + edition.declining


def test_the_square_that_earns_the_special_tile_earns_it() -> None:
    """The one square short of three by three, of which the tile of this edition needs all."""
    small = ORIGINAL.replace(name="small", tile=Tile(3, 7))
    window = sum(0b111 << 9 * row for row in range(3))
    start = State.start(small, 1)
    players = (start.players[0]._replace(quilt=window & ~1), start.players[1])
    state = start._replace(players=players, pending=1)
    tree = grow_on(state, 200)
    edge = next(edge for edge in tree.edges(0) if tree.action(0, edge).square == 0)
    after = state.apply(tree.action(0, edge))
    assert after.tile == 0
    assert tree.holds(int(tree.graph.edges[edge, CHILD]), after)


def test_numba_knows_what_is_drawn_in() -> None:
    """The fingerprint of all other sources is in the closures, by which it tells functions."""
    for function in (grow_nodes, plant):
        held = [cell.cell_contents for cell in function.py_func.__closure__]
        assert held == [fingerprint(*NODE_SOURCES)]
    drawn_in = {"kernel.py", "games.py", "placements.py", "quilts.py", "steps.py", "evaluation.py"}
    drawn_in |= {"graph.py", "inputs.py", "network.py", "layers.py"}
    assert {path.name for path in NODE_SOURCES} == drawn_in


@pytest.mark.parametrize(("candidates", "iterations"), [(1, 3000), (20, 300)])
def test_the_longest_lines_have_room(candidates: int, iterations: int) -> None:
    """On a track of 999 spaces, where a tree that looks at little else goes down to the end."""
    patch = ORIGINAL.patches[0]
    long = ORIGINAL.replace(
        name="long", last_space=999, patches=(patch,), start_patch=patch.id, tile=None
    )
    tree = NodeTree(long, Judge(candidates, 0.5), SMALL)
    tree.take_root(State.start(long, 1), [])
    tree.grow(iterations)
    assert tree.visits == iterations
