"""With one leaf in flight the native search makes the reference's visits, everywhere in the
tree, in every configuration; with many in flight the books still balance."""

from __future__ import annotations

import math
from collections import deque

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.tiny_games import Corridor, DoubleMove, Nim, RandomTree, Ring, after
from honte.evaluation.simple import Rollout
from honte.games.connect_four import ConnectFour
from honte.games.go import Go, Rules
from honte.games.tic_tac_toe import TicTacToe
from honte.search import Search
from honte.search.reference import ReferenceSearch
from search.configurations import configurations, many_leaves, one_leaf
from search.hashed_evaluators import Hashed, rollouts

GAMES = {
    "tic-tac-toe": lambda: TicTacToe().new_initial_state(),
    "Connect Four": lambda: ConnectFour().new_initial_state(),
    "Go 3×3, positional superko": lambda: Go(
        3, rules=Rules.named("tromp-taylor")
    ).new_initial_state(),
    "Go 5×5": lambda: Go(5).new_initial_state(),
    "Nim": Nim,
    "a game of two moves a turn": DoubleMove,
    "a corridor": Corridor,
    "a ring": Ring,
    "a random tree": lambda: RandomTree(7, 4, 5, moves_twice=True, early=True, uneven=True),
    "a random tree for one player": lambda: RandomTree(8, 3, 6, players=1, early=True),
}


@st.composite
def positions(draw):
    state = GAMES[draw(st.sampled_from(sorted(GAMES)))]()
    for _ in range(draw(st.integers(0, 6))):
        following = after(state, draw(st.sampled_from(list(state.legal_actions()))))
        if following.is_terminal():
            break
        state = following
    return state


def evaluators(state):
    return st.builds(
        Hashed,
        num_actions=st.just(state.num_distinct_actions()),
        spread=st.sampled_from([None, 0.0, 1.0, 4.0]),
        steps=st.sampled_from([None, 2]),
        seed=st.integers(0, 1000),
    )


def tree_of(node):
    """{path: (n, w, p)} of the native tree; of a graph each node on the first way to it."""
    found, open_nodes, seen = {}, deque([((), node)]), set()
    while open_nodes:
        path, node = open_nodes.popleft()
        if node.index in seen:
            continue
        seen.add(node.index)
        for edge in node.edges():
            found[(*path, edge.action)] = (edge.n, edge.w, edge.p)
            if edge.child is not None:
                open_nodes.append(((*path, edge.action), edge.child))
    return found


def reference_tree_of(node):
    found, open_nodes, seen = {}, deque([((), node)]), set()
    while open_nodes:
        path, node = open_nodes.popleft()
        if id(node) in seen:
            continue
        seen.add(id(node))
        for edge in node.edges:
            if edge.closed:
                continue
            found[(*path, edge.action)] = (edge.n, edge.w, edge.p)
            if edge.child is not None:
                open_nodes.append(((*path, edge.action), edge.child))
    return found


@settings(max_examples=400)
@given(st.data())
def test_the_core_makes_the_references_visits(data):
    state = data.draw(positions())
    config = data.draw(configurations(one_leaf, state))
    evaluator = data.draw(evaluators(state))
    seed = data.draw(st.integers(0, 2**64 - 1))
    simulations = data.draw(st.sampled_from([1, 2, 3, 20, 60, 150]))
    native = Search(state, config, evaluator, seed=seed)
    reference = ReferenceSearch(state, config, evaluator.judgement, seed=seed)
    for _ in range(data.draw(st.integers(1, 3))):
        native.run(simulations=simulations)
        reference.run(simulations)
        assert tree_of(native.root) == reference_tree_of(reference.root)
        assert native.root.n == reference.root.n
        if native.root.n < 2:
            break
        action = data.draw(st.sampled_from(list(native.state.legal_actions())))
        native.advance(action)
        reference.advance(action)
        if reference.root.terminal:
            break


@settings(max_examples=150)
@given(st.data())
def test_the_core_makes_the_references_visits_with_rollouts(data):
    state = data.draw(positions())
    config = data.draw(configurations(one_leaf, state))
    playouts = data.draw(st.sampled_from([1, 2]))
    seed = data.draw(st.integers(0, 2**64 - 1))
    simulations = data.draw(st.sampled_from([2, 30, 120]))
    native = Search(state, config, Rollout(playouts), seed=seed)
    reference = ReferenceSearch(state, config, rollouts(seed, playouts), seed=seed)
    for _ in range(2):
        native.run(simulations=simulations)
        reference.run(simulations)
        assert tree_of(native.root) == reference_tree_of(reference.root)
        action = data.draw(st.sampled_from(list(native.state.legal_actions())))
        native.advance(action)
        reference.advance(action)
        if reference.root.terminal:
            break


def test_the_reference_and_the_core_draw_the_same_noise():
    """Equal trees above could hide noise that never mattered; the priors themselves agree."""
    from honte.search.config import Expansion, NoiseKind, RootNoise, SearchConfig

    state = Go(5).new_initial_state()
    evaluator = Hashed(26, spread=2.0)
    priors = set()
    for kind in NoiseKind:
        config = SearchConfig(expansion=Expansion(root_noise=RootNoise(kind=kind)))
        native = Search(state, config, evaluator, seed=5)
        native.run(visits=400)
        reference = ReferenceSearch(state, config, evaluator.one, seed=5)
        reference.run(400)
        noisy = {e.action: e.p for e in native.root.edges()}
        known = {e.action: e.p for e in reference.root.edges} | dict(reference.root.unopened)
        assert noisy == {action: known[action] for action in noisy}
        priors.add(tuple(sorted(noisy.items())))
    assert len(priors) == len(NoiseKind)


def check_books(search, config):
    """N = 1 + Σ N of the edges, W in the edges of what came from below, |Q| ≤ 1, no loss left."""
    core = search._core
    assert core.waiting == 0
    threshold = config.expansion.threshold
    graph = config.backup.transpositions
    open_nodes, seen = [(0, search.state)], set()
    while open_nodes:
        index, state = open_nodes.pop()
        if index in seen:
            continue
        seen.add(index)
        node = core.node(index)
        assert node.in_flight == 0
        edges = core.edges(index)
        total = sum(edge.n for edge in edges)
        assert node.edge_visits == total
        if edges:
            own = node.n - total
            if graph and not node.proven:  # a proven position may be visited again itself
                assert own == 1
            assert own >= 1 if index == 0 else own >= min(threshold, node.n)
        legal = list(state.legal_actions())
        assert node.legal_count in (0, len(legal))
        assert node.terminal == state.is_terminal()
        points = config.backup.score_utility
        most = 1.0 if points is None else 1.0 + points.static + points.dynamic
        if config.backup.subtree_value_bias is not None:
            most = 2.0  # corrected evaluations are cut off there
        assert abs(node.value_sum) <= most * node.n + 1e-9
        for edge in edges:
            assert edge.action in legal
            assert all(math.isfinite(x) for x in (edge.w, edge.p))
            assert edge.n == 0 or math.isfinite(edge.q)
            assert abs(edge.w) <= most * edge.n + 1e-9
            if edge.n and not edge.proven:
                plus_one = config.selection.q_denominator.value == "visits_plus_one"
                assert edge.q == pytest.approx(edge.w / (edge.n + plus_one))
            if edge.child is not None:
                child = core.node(edge.child)
                mover = -1.0 if node.player == 1 else 1.0
                if not graph:
                    assert child.n == edge.n
                    assert edge.w == pytest.approx(mover * child.value_sum)
                open_nodes.append((edge.child, after(state, edge.action)))


@settings(max_examples=150)
@given(st.data())
def test_the_books_balance_with_many_leaves_in_flight(data):
    state = data.draw(positions())
    config = data.draw(configurations(many_leaves, state))
    search = Search(state, config, data.draw(evaluators(state)), seed=data.draw(st.integers(0, 99)))
    simulations = data.draw(st.sampled_from([1, 7, 100, 300]))
    result = search.run(simulations=simulations)
    check_books(search, config)
    if result.stop_reason.value == "simulations":
        assert result.simulations == simulations
        assert result.visits == simulations
    assert result.policy.sum() == pytest.approx(1.0)
    assert result.action in search.state.legal_actions()
