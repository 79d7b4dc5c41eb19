"""The tree as a graph: one node a position, however it is reached, and no way round in circles."""

from __future__ import annotations

from collections import Counter, deque

import numpy as np
import pytest

from games.tiny_games import Nim, RandomTree, Ring, after, minimax
from honte import presets
from honte.errors import HonteError
from honte.evaluation import Evaluation, Rollout, Uniform
from honte.games.connect_four import ConnectFour
from honte.games.go import Go, Rules, parse_vertex
from honte.games.othello import Othello
from honte.games.tic_tac_toe import TicTacToe
from honte.search import Restriction, Search, SearchConfig, StopReason
from honte.search.config import (
    Backup,
    Expansion,
    Grave,
    Gumbel,
    GumbelDecision,
    Memory,
    Parallelism,
    Puct,
    Rave,
    SeparateMeans,
)
from honte.search.reference import ReferenceSearch
from honte.search.steps import LeafKind
from search.hashed_evaluators import Hashed

ONE = Parallelism(batch_size=1, batches_in_flight=1)


def config(parallelism=ONE, memory=None, **backup):
    return SearchConfig(
        selection=Puct(c_puct=1.5),
        backup=Backup(transpositions=True, **backup),
        parallelism=parallelism,
        memory=memory or Memory(),
    )


def hashed(state, **kind):
    return Hashed(state.num_distinct_actions(), spread=1.0, **kind)


def key(state):
    return state.graph_key() if hasattr(state, "graph_key") else state.key()


def walk(search):
    """Each node once, with a state that is its position."""
    waiting, seen = deque([(search.root, search.state)]), set()
    while waiting:
        node, state = waiting.popleft()
        if node.index in seen:
            continue
        seen.add(node.index)
        yield node, state
        for edge in node.edges():
            if edge.child is not None:
                waiting.append((edge.child, after(state, edge.action)))


def check_graph(search):
    """A position has one node; N(s) = 1 + Σ N(s,a); an edge is worth what its child is."""
    keys = Counter()
    for node, state in walk(search):
        keys[key(state)] += 1
        edges = node.edges()
        assert node.is_terminal == state.is_terminal()
        assert search._core.node(node.index).in_flight == 0
        if node.n == 0 or node.proven is not None:
            continue
        assert node.n == 1 + sum(edge.n for edge in edges)
        assert {edge.action for edge in edges} <= set(state.legal_actions())
        assert abs(node.value) <= 1 + 1e-9
    assert max(keys.values()) == 1
    return len(keys)


def positions_of(state, most=10_000):
    """How many positions the game has from here on."""
    seen, waiting = {key(state)}, [state]
    while waiting and len(seen) < most:
        here = waiting.pop()
        for action in here.legal_actions():
            following = after(here, action)
            if key(following) not in seen:
                seen.add(key(following))
                waiting.append(following)
    return len(seen)


def test_tic_tac_toe_has_5478_positions_and_no_more_nodes():
    assert positions_of(TicTacToe().new_initial_state()) == 5478
    search = Search(TicTacToe().new_initial_state(), config(), Rollout())
    search.run(simulations=60_000)
    assert check_graph(search) == search.result().nodes <= 5478
    assert search.result().nodes > 2000
    tree = Search(TicTacToe().new_initial_state(), SearchConfig(), Rollout())
    tree.run(simulations=60_000)
    assert tree.result().nodes > 5478


def test_connect_four_shares_what_columns_played_in_another_order_lead_to():
    state = ConnectFour().new_initial_state()
    graph, tree = (Search(state, c, hashed(state)) for c in (config(), SearchConfig()))
    for search in (graph, tree):
        search.run(simulations=4000)
    assert check_graph(graph) == graph.result().nodes < 0.85 * tree.result().nodes
    assert graph.result().visits == 4000


@pytest.mark.parametrize("game", [ConnectFour(), Othello(), TicTacToe(), Go(3)])
def test_many_leaves_in_flight_keep_the_books(game):
    state = game.new_initial_state()
    many = Parallelism(batch_size=16, batches_in_flight=3)
    search = Search(state, config(parallelism=many), hashed(state))
    assert search.run(simulations=1500).visits == 1500
    check_graph(search)
    for _ in range(3):
        search.advance(search.result().action)
        check_graph(search)
        search.run(simulations=300)
        check_graph(search)


def test_an_edge_catches_up_with_what_other_ways_found():
    """Heaps of 1 and 1: whichever is taken first, one position is left."""
    search = Search(Nim((1, 1)), config(), hashed(Nim((1, 1))), seed=3)
    kinds = []
    simulations = search.steps()
    for _ in range(8):
        kinds.append(next(simulations).leaf_kind)
    assert LeafKind.TRANSPOSITION in kinds
    check_graph(search)


def test_a_cycle_ends_where_it_closes():
    """A ring without end: every position is one of 8 places and two players."""
    ring = Ring(size=8, count_plies=False)
    search = Search(ring, config(), hashed(ring))
    result = search.run(simulations=5000)
    assert result.visits == 5000
    assert result.nodes <= positions_of(ring) <= 16
    assert search._core.statistics.deepest <= 16
    check_graph(search)
    assert len(result.principal_variation) <= 16
    kinds = {next(search.steps()).leaf_kind for _ in range(50)}
    assert LeafKind.CYCLE in kinds


def test_the_reference_goes_round_the_ring_alike():
    ring = Ring(size=8, count_plies=False)
    for solver in (False, True):
        native = Search(ring, config(solver=solver), hashed(ring), seed=8)
        reference = ReferenceSearch(ring, config(solver=solver), hashed(ring).judgement, seed=8)
        for action in (2, 0, 2, 1):
            native.run(simulations=200)
            reference.run(200)
            shown = [(edge.action, edge.n, edge.w) for edge in native.root.edges()]
            assert shown == [(edge.action, edge.n, edge.w) for edge in reference.root.edges]
            native.advance(action)
            reference.advance(action)


class NimWithTwins(Nim):
    """Each move has a twin that leads to the same position."""

    def num_distinct_actions(self):
        return 2 * super().num_distinct_actions()

    def legal_actions(self):
        return [twin for action in super().legal_actions() for twin in (2 * action, 2 * action + 1)]

    def apply_action(self, action):
        super().apply_action(action // 2)


@pytest.mark.parametrize("game", [Nim((2, 3, 3)), NimWithTwins((1, 2, 3))])
def test_the_reference_reads_what_other_edges_changed_alike(game):
    """Another way may be another edge of the same node."""
    for seed in range(3):
        native = Search(game, config(), hashed(game), seed=seed)
        reference = ReferenceSearch(game, config(), hashed(game).judgement, seed=seed)
        for simulations in (60, 240):
            native.run(simulations=simulations)
            reference.run(simulations)
            shown = [(edge.action, edge.n, edge.w) for edge in native.root.edges()]
            assert shown == [(edge.action, edge.n, edge.w) for edge in reference.root.edges]


def test_the_root_before_is_met_again_as_any_other_position():
    """After a step the old root lies ahead; its noise and restrictions are not kept."""
    ring = Ring(size=8, count_plies=False)
    search = Search(ring, config(), hashed(ring))
    search.run(simulations=300, allowed_actions=[2])
    search.advance(2)
    search.run(simulations=2000)
    check_graph(search)
    back = search.root.child(0)
    assert back is not None
    assert len(back.edges()) == 3


def go(moves, rules, size=9, **setup):
    state = Go(size, rules=Rules.named(rules)).new_initial_state(
        **{
            colour: [parse_vertex(vertex, size, size) for vertex in stones.split()]
            for colour, stones in setup.items()
        }
    )
    for vertex in moves.split():
        state.apply_action(parse_vertex(vertex, size, size))
    return state


def test_go_reaches_one_position_by_two_orders():
    first = go("c3 g7 g3 c7", "tromp-taylor")
    second = go("g3 c7 c3 g7", "tromp-taylor")
    assert first.graph_key() == second.graph_key()
    assert first.key() != second.key()  # networks see the last moves
    assert go("c3 g7 g3 pass", "tromp-taylor").graph_key() != first.graph_key()


def test_a_ko_that_may_not_be_retaken_is_another_position():
    """White to move in both, the same stones: once the ko was just taken, once it was not."""
    taken = go("e5", "chinese", black="c5 d4 d6", white="f5 e4 e6 d5")
    stones = taken.board().ravel()
    placed = Go(9, rules=Rules.named("chinese")).new_initial_state(
        black=np.flatnonzero(stones == 1).tolist(),
        white=np.flatnonzero(stones == 2).tolist(),
        to_play=taken.to_play,
    )
    assert (taken.board() == placed.board()).all()
    assert parse_vertex("d5", 9, 9) not in taken.legal_actions()
    assert parse_vertex("d5", 9, 9) in placed.legal_actions()
    assert taken.graph_key() != placed.graph_key()


@pytest.mark.parametrize("rules", ["tromp-taylor", "chinese", "japanese", "aga"])
def test_small_boards_full_of_kos_keep_their_rules(rules):
    """Every edge of every node may be played by whoever comes to it, superko included: the walk
    raises otherwise."""
    state = Go(3, rules=Rules.named(rules)).new_initial_state()
    search = Search(state, config(), hashed(state))
    search.run(simulations=4000)
    for child in search.result().children:
        line = search.state
        for action in child.principal_variation:
            assert action in line.legal_actions()
            line.apply_action(action)
    for node, _ in walk(search):
        assert abs(node.value) <= 1 + 1e-9


TRIPLE_KO = {
    "black": "c2 c5 c8 d1 d3 d4 d6 d7 d9 e8",
    "white": "f2 f5 f8 e1 e3 e4 e6 e7 e9 d2 d5",
}


def test_triple_ko_under_simple_ko_is_bounded():
    """Case R2: the third repetition has no result; nothing goes on for ever."""
    state = go("", "japanese", **TRIPLE_KO)
    search = Search(state, config(), hashed(state))
    assert search.run(simulations=10_000).visits == 10_000
    assert search._core.statistics.deepest < 300


def test_superko_forbids_in_the_graph_what_it_forbids_in_the_game():
    state = go("e2 d8 e5 d2 e8", "tromp-taylor", **TRIPLE_KO)
    forbidden = parse_vertex("d5", 9, 9)
    assert forbidden not in state.legal_actions()
    search = Search(state, config(), hashed(state))
    search.run(simulations=2000)
    assert forbidden not in [edge.action for edge in search.root.edges()]


def test_ownership_counts_a_shared_position_once():
    class Owned:
        def __call__(self, batch):
            owned = np.zeros((batch.size, 9), np.float32)
            owned[:, 0] = 1.0
            return Evaluation(value=np.zeros(batch.size, np.float32), ownership=owned)

    state = Go(3, komi=0.5).new_initial_state()
    search = Search(state, config(ownership=True), Owned())
    result = search.run(simulations=800)
    assert result.ownership is not None
    assert abs(result.ownership[0]) <= 1.0
    evaluated = sum(not node.is_terminal and node.n > 0 for node, _ in walk(search))
    assert evaluated == result.evaluations < 800


def test_a_graph_is_saved_and_taken_up(tmp_path):
    ring = Ring(size=8, count_plies=False)
    for state in (ring, ConnectFour().new_initial_state()):
        search = Search(state, config(), hashed(state))
        search.run(simulations=700)
        search.save(tmp_path / "graph")
        other = Search(state, config(), hashed(state))
        other.load(tmp_path / "graph")
        assert other.result().nodes == search.result().nodes
        for each in (search, other):
            each.run(simulations=300)
        assert [(e.action, e.n) for e in other.root.edges()] == [
            (e.action, e.n) for e in search.root.edges()
        ]
    with pytest.raises(HonteError, match="another kind of backup"):
        Search(state, SearchConfig(), hashed(state)).load(tmp_path / "graph")


def test_at_the_cap_the_graph_is_pruned():
    state = ConnectFour().new_initial_state()
    search = Search(state, config(memory=Memory(maximum_nodes=300)), hashed(state))
    result = search.run(simulations=5000)
    assert result.prunings > 0
    assert result.nodes <= 300
    assert result.visits == 5000


def test_what_the_solver_proves_in_a_graph_is_true():
    proven = 0
    for seed in range(6):
        state = RandomTree(seed, 3, 5, results=(-1.0, 0.0, 1.0))
        graph = Search(state, config(solver=True), hashed(state))
        graph.run(simulations=4000)
        assert graph.root.proven in (None, minimax(state))
        proven += graph.root.proven is not None
    assert proven >= 3


def test_an_edge_against_the_centre_loses_in_a_graph_too():
    """Tic-tac-toe: X has the centre, O an edge; X wins."""
    state = after(after(TicTacToe().new_initial_state(), 4), 1)
    search = Search(state, config(solver=True), Uniform())
    assert search.run(simulations=20_000).stop_reason is StopReason.PROVEN
    assert search.root.proven == 1.0


def test_gumbel_halves_in_a_graph():
    state = ConnectFour().new_initial_state()
    gumbel = SearchConfig(
        selection=Gumbel(considered=4),
        decision=GumbelDecision(),
        backup=Backup(transpositions=True),
        parallelism=ONE,
    )
    search = Search(state, gumbel, hashed(state))
    assert search.run(simulations=200).visits == 200
    check_graph(search)


def test_restrictions_keep_depths_apart():
    """A column that is closed in the first plies stays closed there, whatever the order."""
    state = ConnectFour().new_initial_state()
    search = Search(state, config(), hashed(state))
    search.restrict([Restriction(player, frozenset({3}), 4, allow=False) for player in (0, 1)])
    search.run(simulations=1500)
    depth_of = {0: 0}
    for node, _ in walk(search):
        for edge in node.edges():
            if edge.child is not None:
                depth_of.setdefault(edge.child.index, depth_of[node.index] + 1)
            if 0 < depth_of[node.index] < 4:
                assert edge.action != 3


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: SearchConfig(selection=Rave(), backup=Backup(transpositions=True)), "rave counts"),
        (lambda: SearchConfig(selection=Grave(), backup=Backup(transpositions=True)), "grave"),
        (
            lambda: SearchConfig(
                expansion=Expansion(threshold=2), backup=Backup(transpositions=True)
            ),
            "threshold to 1",
        ),
        (lambda: config(separate_means=SeparateMeans()), "separate_means"),
    ],
)
def test_what_cannot_be_shared_is_refused(make, sentence):
    with pytest.raises(HonteError, match=sentence):
        make()


def test_a_game_without_keys_is_refused():
    class Nameless(RandomTree):
        def __getattribute__(self, name):
            if name == "key":
                raise AttributeError(name)
            return super().__getattribute__(name)

    with pytest.raises(HonteError, match="Nameless has neither graph_key"):
        Search(Nameless(1), config(), hashed(RandomTree(1)))


def test_proofs_that_depend_on_the_way_are_refused():
    with pytest.raises(HonteError, match="drop the solver"):
        Search(Go(5).new_initial_state(), config(solver=True), Rollout())


def test_katagos_preset_searches_a_graph_of_go():
    state = Go(5).new_initial_state()
    preset = presets.katago()
    graph = preset.replace(backup=preset.backup.model_copy(update={"transpositions": True}))
    search = Search(state, graph, hashed(state))
    assert search.run(visits=1000).visits >= 1000
    assert search.result().nodes < 1000
