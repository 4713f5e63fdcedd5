"""The tree whose nodes store their positions: their statistics, and reuse after a move."""

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
from tests.bundled.compiling import COMPILED
from tests.bundled.games import Ending
from tests.rules.positions import EDITIONS, ORIGINAL, player, position
from tests.rules.walks import walks

pytestmark = [pytest.mark.slow, *COMPILED]
SMALL = Room(nodes=5_000, edges=50_000, quilts=1 << 14)


def grow_on(state: State, iterations: int, candidates: int = 3) -> NodeTree:
    """Return a tree that was grown on a position whose late patches are known."""
    tree = NodeTree(state.edition, Judge(candidates, 0.5), SMALL)
    tree.take_root(state, [])
    tree.grow(iterations)
    return tree


def skip_forced(state: State) -> State:
    """Advance as long as the player to move can pay for no patch on offer."""
    edition = state.edition
    while not state.is_over and not state.pending:
        buttons = state.players[state.to_move].buttons
        if any(edition.patch[patch].cost <= buttons for patch in state.circle[: edition.offer]):
            break
        state = state.apply(ADVANCE)
    return state


def find_best_line(tree: NodeTree, node: int, mover: int) -> float:
    """Return the value of the best line from a node for its mover, over all lines."""
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


def test_solved_tree_has_the_minimax_action_and_margin(endings: list[Ending]) -> None:
    """Each of 25 endgames that were solved over all actions is solved by the tree."""
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
def test_every_node_holds_the_position_given_by_the_rules(state: State, candidates: int) -> None:
    """Actions are legal and distinct, advances forced; visits, priors and lines agree."""
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
            assert visits <= graph.nodes[node, VISITS] - own  # solved nodes get no further visits
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


def test_value_of_a_finished_game_follows_from_the_score() -> None:
    """One line is left: half of its value is for winning, half for the margin 24 as 24 / 44."""
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
def test_subtree_of_a_played_action_is_reused(state: State, data: st.DataObject) -> None:
    """Its visits are those of the new root, action by action."""
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
        (tree.action(child, child_edge), int(tree.graph.edges[child_edge, SEEN]))
        for child_edge in tree.edges(child)
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
def test_full_tree_counts_iterations_without_growing(room: str) -> None:
    """With too little room of one kind, all 5,000 iterations are still counted."""
    limits = SMALL._replace(**{room: {"nodes": 100, "edges": 600, "quilts": 256}[room]})
    tree = NodeTree(ORIGINAL, Judge(3, 0.5), limits)
    tree.take_root(State.start(ORIGINAL, 1), [])
    tree.grow(5000)
    assert tree.visits == 5000
    assert tree.graph.used[0] <= limits.nodes
    assert tree.graph.used[1] <= limits.edges


@pytest.mark.parametrize("edition", EDITIONS, ids=lambda edition: edition.name)
def test_declining_is_considered_if_the_edition_allows_it(edition: Edition) -> None:
    """It is an addition to the best squares for a special patch."""
    state = State.start(edition, 1)
    state = state._replace(pending=1)
    actions = [choice.action for choice in grow_on(state, 50).choices()]
    assert (DECLINE in actions) == edition.declining
    assert len(actions) == 3 + edition.declining


def test_square_that_completes_the_special_tile_earns_it() -> None:
    """One square of the 3 × 3 that the tile of this edition needs is missing."""
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


def test_numba_notices_changes_of_inlined_functions() -> None:
    """The closures hold the fingerprint of all inlined sources, which numba's cache depends on."""
    for function in (grow_nodes, plant):
        held = [cell.cell_contents for cell in function.py_func.__closure__]
        assert held == [fingerprint(*NODE_SOURCES)]
    drawn_in = {"kernel.py", "games.py", "placements.py", "quilts.py", "steps.py", "evaluation.py"}
    drawn_in |= {"graph.py", "inputs.py", "network.py", "layers.py"}
    assert {path.name for path in NODE_SOURCES} == drawn_in


@pytest.mark.parametrize(("candidates", "iterations"), [(1, 3000), (20, 300)])
def test_longest_lines_have_room(candidates: int, iterations: int) -> None:
    """On a track of 999 spaces a narrow tree reaches the end."""
    patch = ORIGINAL.patches[0]
    long = ORIGINAL.replace(
        name="long", last_space=999, patches=(patch,), start_patch=patch.id, tile=None
    )
    tree = NodeTree(long, Judge(candidates, 0.5), SMALL)
    tree.take_root(State.start(long, 1), [])
    tree.grow(iterations)
    assert tree.visits == iterations
