"""Compiles all numba functions, once a checkout: ``python -m tests.bundled.compile``."""

import numpy as np
from pwtourney_bots.champion import Champion
from pwtourney_bots.inputs import INPUTS
from pwtourney_bots.mcts import Mcts
from pwtourney_bots.network import find_network
from pwtourney_bots.node_tree import Judge, NodeTree

from pwtourney.rules import State
from pwtourney.simulate import Simulator
from tests.bundled.compiled import count_features, look_at_root, weigh_inputs
from tests.bundled.games import answer, ready
from tests.rules.positions import ORIGINAL

if __name__ == "__main__":
    start = State.start(ORIGINAL, 1)
    simulator = Simulator(ORIGINAL)
    for policy in (False, True):
        simulator.playouts(start, 1, seed=1, policy=policy)
    simulator.follow(start, [0])
    count_features(ORIGINAL, 0)
    for bot in (Mcts(), Champion()):
        answer(ready(bot, ORIGINAL, iterations=2), start)
    tree = NodeTree(ORIGINAL, Judge(3, 0.5))
    tree.take_root(start, [])
    look_at_root(tree, ORIGINAL)
    weigh_inputs(find_network(ORIGINAL), np.ones(len(INPUTS), np.float32))
