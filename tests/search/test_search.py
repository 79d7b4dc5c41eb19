"""What a user of the search relies on."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from games.tiny_games import RandomTree, Ring, best_actions
from honte import presets
from honte.errors import HonteError
from honte.evaluation import Evaluation, NetworkEvaluator, Rollout, Uniform
from honte.games.connect_four import ConnectFour
from honte.games.go import Go, Rules, parse_vertex
from honte.games.hex import Hex
from honte.games.tic_tac_toe import TicTacToe
from honte.search import Budget, EvaluationCache, Search, SearchConfig, run_many
from honte.search.config import (
    Backup,
    Decision,
    Expansion,
    FirstPlayUrgency,
    Grave,
    Gumbel,
    GumbelDecision,
    Memory,
    MostVisits,
    Parallelism,
    ProgressiveWidening,
    Puct,
    RootNoise,
    SampleVisits,
    Symmetry,
    Ucb1,
    UrgencyRule,
)
from honte.search.decision import visit_policy
from honte.search.formula import formula
from honte.search.result import StopReason
from patience import processor_time_below
from search.hashed_evaluators import Hashed
from shared_data import shared_file

ONE = Parallelism(batch_size=1, batches_in_flight=1)


def tree_of(node):
    return [(e.action, e.n, e.w, e.p, e.child and tree_of(e.child)) for e in node.edges()]


def policy_evaluator(priors, value=0.0):
    """Priors by action, everywhere the same; value for the side to move."""

    def evaluate(batch):
        logits = np.full((batch.size, batch.num_actions), -20.0, np.float32)
        for action, prior in priors.items():
            logits[:, action] = np.log(prior)
        return Evaluation(np.full(batch.size, value, np.float32), logits)

    return evaluate


# Visits, budgets, reports


def test_visits_count_what_the_root_has_and_simulations_what_is_new():
    search = Search(Go(5).new_initial_state(), None, Uniform())
    assert search.run(visits=100).visits == 100
    result = search.run(visits=150)
    assert (result.visits, result.simulations) == (150, 50)
    result = search.run(simulations=50)
    assert (result.visits, result.simulations) == (200, 50)
    kept = search.result().children[0].n
    search.advance(search.result().action)
    result = search.run(Budget(visits=10, minimum_simulations=7))  # inherited more: case S10
    assert (result.visits, result.simulations) == (kept + 7, 7)


@pytest.mark.parametrize(
    "limits", [{"visits": 0}, {"simulations": -3}, {"seconds": float("nan")}, {"seconds": -1}, {}]
)
def test_an_impossible_budget_is_refused_with_a_sentence(limits):
    with pytest.raises(ValueError, match=r"give|Give"):
        Budget(**limits)


def test_a_search_by_time_ends_on_time_and_says_why():
    search = Search(Go(9).new_initial_state(), presets.uct(), Rollout())
    began = time.perf_counter()
    with processor_time_below(1.0):
        result = search.run(seconds=0.2)
    assert result.stop_reason is StopReason.TIME
    assert time.perf_counter() - began >= 0.2
    assert Search(Go(9).new_initial_state()).run(seconds=0).visits >= 1


def test_stop_from_another_thread_and_reports_on_the_way():
    search = Search(Go(9).new_initial_state(), presets.uct(), Rollout())
    reports = []

    def heard(report):
        reports.append(report)
        if len(reports) == 2:
            threading.Thread(target=search.stop).start()

    result = search.run(visits=10**9, on_report=heard, report_every=0.05)
    assert result.stop_reason is StopReason.CANCELLED
    assert len(reports) >= 2
    assert [r.visits for r in reports] == sorted(r.visits for r in reports)


def test_settled_searches_stop_early_only_when_asked():
    evaluator = policy_evaluator({12: 0.99, 3: 0.01})
    plain = Search(Go(5).new_initial_state(), None, evaluator)
    assert plain.run(simulations=400).simulations == 400
    settled = Search(Go(5).new_initial_state(), None, evaluator)
    result = settled.run(Budget(simulations=400, stop_when_settled=True))
    assert result.stop_reason is StopReason.SETTLED
    assert result.simulations < 400


# Cases that tripped other engines


def test_s3_the_first_visit_goes_to_the_highest_prior():
    state = Go(9).new_initial_state()
    c3 = parse_vertex("C3", 9, 9)
    result = Search(state, None, policy_evaluator({c3: 0.9, 0: 0.1})).run(visits=2)
    assert [(c.action, c.n) for c in result.children] == [(c3, 1)]


def test_s4_s5_noise_once_a_root_on_legal_actions_and_none_inside():
    state = Go(5).new_initial_state()
    state.play(parse_vertex("C3", 5, 5))
    config = SearchConfig(expansion=Expansion(root_noise=RootNoise()), parallelism=ONE)
    evaluator = Hashed(26, spread=1.0)
    search = Search(state, config, evaluator, seed=4)

    def priors_and_raw():
        search.run(simulations=60)
        noisy = {edge.action: edge.p for edge in search.root.edges()}
        search.run(simulations=60)
        later = {edge.action: edge.p for edge in search.root.edges()}
        assert all(later[action] == p for action, p in noisy.items())  # constant in a search
        assert set(later) <= set(search.state.legal_actions())
        return later, search.result().prior

    noisy, raw = priors_and_raw()
    assert any(abs(noisy[a] - raw[a]) > 0.01 for a in noisy)
    action = search.result().action
    inner = {e.action: e.p for e in search.root.child(action).edges()}
    search.advance(action)
    noisy, raw = priors_and_raw()
    assert any(abs(noisy[a] - raw[a]) > 0.01 for a in noisy)  # fresh noise on the reused root
    assert all(inner[a] == pytest.approx(raw[a], rel=1e-3) for a in inner)  # none inside


def test_s7_nan_ends_its_own_search_with_a_sentence_and_the_next_one_works():
    calls = 0

    def broken(batch):
        nonlocal calls
        calls += 1
        value = np.zeros(batch.size, np.float32)
        if calls == 5:
            value[0] = np.nan
        return Evaluation(value)

    search = Search(Go(5).new_initial_state(), SearchConfig(parallelism=ONE), broken)
    with pytest.raises(HonteError, match="evaluator broken gave an answer that cannot be used"):
        search.run(visits=100)
    result = search.run(visits=100)
    assert result.visits == 100
    assert np.isfinite(result.value)


def test_s7_in_a_batch_of_many_trees_only_the_tree_with_nan_fails():
    def broken(batch):
        value = np.zeros(batch.size, np.float32)
        value[[str(s).count("X") >= 2 or s.move_number >= 2 for s in batch.states()]] = np.nan
        return Evaluation(value)

    def searches():
        for moves in (["A1", "B1"], []):
            state = Go(5).new_initial_state()
            for move in moves:
                state.play(parse_vertex(move, 5, 5))
            yield Search(state, None, broken)

    failed = []
    results = run_many(list(searches()), Budget(visits=2), on_error=lambda i, e: failed.append(i))
    assert failed == [0]
    assert results[0] is None
    assert results[1].visits == 2


def test_s9_a_single_allowed_action_is_searched():
    d4 = parse_vertex("D4", 9, 9)
    search = Search(Go(9).new_initial_state(), None, Uniform())
    result = search.run(visits=50, allowed_actions=[d4])
    assert [(c.action, c.n) for c in result.children] == [(d4, 49)]
    assert len(search.run(visits=300).children) > 50  # the restriction ended with its run
    with pytest.raises(HonteError, match="not legal"):
        search.run(visits=10, allowed_actions=[999])
    with pytest.raises(HonteError, match="at least one"):
        search.run(visits=10, allowed_actions=[])


@pytest.mark.parametrize("config", [presets.rave(), presets.gumbel_alphazero(), presets.katago()])
def test_a_choice_from_before_a_node_became_the_root_is_not_played_where_it_is_forbidden(
    config,
):
    search = Search(ConnectFour().new_initial_state(), config, Rollout(), seed=1)
    search.advance(search.run(simulations=2000).children[0].action)
    before = {edge.action: edge.n for edge in search.root.edges()}
    fewest = sorted(before, key=lambda action: before[action])[:2]
    search.run(simulations=50, allowed_actions=fewest)
    after = {edge.action: edge.n for edge in search.root.edges()}
    assert sum(after[action] - before[action] for action in fewest) == 50


def test_s11_a_cap_prunes_and_says_so_and_the_search_goes_on():
    config = SearchConfig(memory=Memory(maximum_nodes=1000))
    search = Search(Go(5).new_initial_state(), config, Rollout(), seed=1)
    result = search.run(simulations=20_000)
    assert result.visits == 20_000
    assert result.prunings > 0
    assert result.nodes <= 1000
    assert sum(c.n for c in result.children) == 19_999
    batched = Search(Go(5).new_initial_state(), config, Hashed(26), seed=1)
    result = batched.run(simulations=3_000)
    assert result.visits == 3_000
    assert result.prunings > 0


@pytest.mark.parametrize("transpositions", [False, True])
def test_s11_a_cap_in_mebibytes_holds_too(transpositions):
    config = SearchConfig(
        backup=Backup(transpositions=transpositions), memory=Memory(maximum_mebibytes=2)
    )
    search = Search(Go(9).new_initial_state(), config, Uniform(), seed=1)
    prunings = 0
    for _ in range(10):
        prunings += search.run(simulations=2_000).prunings
        assert search.memory_bytes <= 1.02 * 2**21
    assert search.root.n == 20_000
    assert prunings > 0


def test_s11_memory_stays_level_over_a_long_game_with_reuse():
    """The process holds after 300 moves what it held after 50, give or take a tenth."""

    def resident():
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    if not Path("/proc/self/statm").exists():
        pytest.skip("reads the resident set from /proc, which is not here")
    state = Go(9, rules=Rules.named("tromp-taylor")).new_initial_state()
    search = Search(state, SearchConfig(), Uniform(), seed=2)
    used = []
    for move in range(300):
        search.run(visits=20_000)
        legal = search.state.legal_actions()
        search.advance(legal[(7 * move) % (len(legal) - 1)] if len(legal) > 1 else legal[0])
        if search.state.is_terminal():
            search = Search(state, SearchConfig(), Uniform(), seed=3)
        used.append(resident())
    assert used[-1] <= 1.1 * used[49]


def test_s13_without_exploration_equal_priors_spread_evenly():
    config = SearchConfig(
        selection=Puct(first_play_urgency=FirstPlayUrgency(rule=UrgencyRule.PARENT)),
        parallelism=ONE,
    )
    for seed in range(5):  # Hex on 5×5 does not end within three plies
        result = Search(Hex(5).new_initial_state(), config, Uniform(), seed=seed).run(visits=251)
        assert [child.n for child in result.children] == [10] * 25


def test_s14_cycles_end_and_depth_is_bounded():
    state = Ring(size=8, count_plies=False)
    search = Search(state, SearchConfig(parallelism=ONE), Uniform())
    assert search.run(visits=10_000).visits == 10_000


@pytest.mark.parametrize(
    ("config", "evaluator", "visits"),
    [(presets.uct(), Rollout(), 500), (SearchConfig(), Uniform(), 20_000)],
)
def test_s17_in_the_seki_both_sides_pass(config, evaluator, visits):
    """Playouts see it in 500 visits. An evaluator that knows nothing leaves every value near 0
    until the search itself has seen games end, which takes it some thousands."""
    black = [parse_vertex(v, 4, 4) for v in ["A1", "A2", "A3", "A4", "B2", "B3", "B4"]]
    white = [parse_vertex(v, 4, 4) for v in ["C1", "C2", "C3", "D1", "D2", "D3", "D4"]]
    for to_play in (0, 1):
        game = Go(4, rules=Rules.named("tromp-taylor"), komi=0)
        state = game.new_initial_state(black=black, white=white, to_play=to_play)
        for _ in range(2):
            assert Search(state, config, evaluator, seed=1).run(visits=visits).action == 16
            state.apply_action(16)
        assert state.is_terminal()
        assert state.score() == 0


def test_r12_a_pass_that_wins_is_worth_exactly_one():
    black = [parse_vertex(f"C{row}", 5, 5) for row in range(1, 6)]
    white = [parse_vertex(f"D{row}", 5, 5) for row in range(1, 6)]
    for komi, wins in ((0.5, True), (6, False)):
        state = Go(5, komi=komi).new_initial_state(black=black, white=white, to_play=1)
        state.apply_action(25)
        result = Search(state, None, Uniform(), seed=1).run(visits=200)
        value = next(c.q for c in result.children if c.action == 25)
        assert value == (1.0 if wins else -1.0)
        assert (result.action == 25) == wins


# Determinism


def test_the_same_seed_gives_the_same_search_and_another_seed_another():
    config = SearchConfig(expansion=Expansion(root_noise=RootNoise()))
    trees = []
    for seed in (1, 1, 2):
        search = Search(Go(5).new_initial_state(), config, Hashed(26), seed=seed)
        search.run(visits=300)
        trees.append(tree_of(search.root))
    assert trees[0] == trees[1]
    assert trees[0] != trees[2]


def test_threads_and_streams_change_nothing():
    network = shared_file("networks", "g170-b6c96-s175395328-d26788732.bin.gz")
    state = Go(9).new_initial_state()
    state.play(parse_vertex("E5", 9, 9))
    trees = []
    for threads, streams in ((1, 1), (2, 2), (2, 1)):
        evaluator = NetworkEvaluator(network, streams=streams)
        parallelism = Parallelism(batch_size=4, batches_in_flight=2, threads=threads)
        config = presets.alphago_zero().replace(parallelism=parallelism)
        search = Search(state, config, evaluator, seed=7)
        search.run(visits=200)
        trees.append(tree_of(search.root))
    assert trees[0] == trees[1] == trees[2]


def test_several_board_sizes_share_a_batch_and_find_what_they_find_alone():
    network = shared_file("networks", "g170-b6c96-s175395328-d26788732.bin.gz")
    evaluator = NetworkEvaluator(network, precision=None)
    config = SearchConfig(parallelism=Parallelism(batch_size=4, batches_in_flight=1))
    states = [Go(9).new_initial_state(), Go(7, 5).new_initial_state(), Go(9).new_initial_state()]
    together = run_many([Search(s, config, evaluator) for s in states], Budget(visits=1))
    for state, result in zip(states, together, strict=True):
        alone = Search(state, config, evaluator).run(visits=1)
        assert result.value == pytest.approx(alone.value, abs=0.02)
        np.testing.assert_allclose(result.prior, alone.prior, atol=0.02)
        assert result.prior.shape == (state.num_distinct_actions(),)


# Symmetries, cache, many trees, saving


def test_random_and_mean_symmetries_turn_the_policy_back():
    """An evaluator that points at the first legal action of what it is shown."""

    def first_shown(batch):
        logits = np.where(np.cumsum(batch.legal_mask(), 1) == 1, 5.0, 0.0).astype(np.float32)
        return Evaluation(np.zeros(batch.size, np.float32), logits)

    corners = {0, 2, 6, 8}
    seen = set()
    for seed in range(40):
        config = SearchConfig(expansion=Expansion(symmetry=Symmetry.RANDOM))
        prior = Search(TicTacToe().new_initial_state(), config, first_shown, seed=seed).run(
            visits=1
        )
        seen.add(int(prior.prior.argmax()))
    assert seen == corners
    config = SearchConfig(expansion=Expansion(symmetry=Symmetry.MEAN))
    prior = Search(TicTacToe().new_initial_state(), config, first_shown).run(visits=1).prior
    assert {int(a) for a in np.flatnonzero(prior > 0.2)} == corners


def test_a_cache_shared_by_searches_answers_without_the_evaluator():
    cache = EvaluationCache(10_000)
    evaluator = Hashed(26)
    config = SearchConfig(parallelism=ONE)
    first = Search(Go(5).new_initial_state(), config, evaluator, cache=cache).run(visits=200)
    second = Search(Go(5).new_initial_state(), config, evaluator, cache=cache).run(visits=200)
    assert second.evaluations < 5
    assert second.cache_hits > 150
    assert cache.hits >= second.cache_hits
    assert [(c.action, c.n, c.w) for c in first.children] == [
        (c.action, c.n, c.w) for c in second.children
    ]


@pytest.mark.parametrize("preset", ["gumbel_alphazero", "rave"])
@pytest.mark.parametrize("batch", [1, 8])
def test_what_a_tree_foresees_is_what_it_would_choose(tmp_path, preset, batch):
    """A tree from a file knows no choice of its nodes beforehand, one that grew does."""
    parallelism = Parallelism(batch_size=batch)
    config = getattr(presets, preset)().model_copy(update={"parallelism": parallelism})
    grown, taken_up = (Search(Go(5).new_initial_state(), config, Hashed(26)) for _ in range(2))
    grown.run(simulations=1)
    grown.save(tmp_path / "tree")
    grown.load(tmp_path / "tree")  # each tree that is taken up draws Gumbel's g anew
    grown.run(simulations=400)
    grown.save(tmp_path / "tree")
    taken_up.load(tmp_path / "tree")
    for search in (grown, taken_up):
        search.run(simulations=200)
    assert tree_of(taken_up.root) == tree_of(grown.root)


def test_a_tree_is_saved_and_taken_up_again(tmp_path):
    path = tmp_path / "tree"
    search = Search(Go(5).new_initial_state(), None, Hashed(26), seed=3)
    search.run(visits=500)
    search.save(path)
    again = Search(Go(5).new_initial_state(), None, Hashed(26), seed=3)
    again.load(path)
    assert tree_of(again.root) == tree_of(search.root)
    assert again.run(visits=600).visits == 600
    search.run(visits=550, allowed_actions=[12, 13])  # what was restricted is saved whole
    search.save(path)
    again.load(path)
    everywhere = {edge.action for edge in again.root.edges()}
    assert {12, 13} < everywhere
    assert again.result().prior.sum() == pytest.approx(1.0, abs=1e-3)
    other = Search(Go(7).new_initial_state(), None, Hashed(50))
    with pytest.raises(HonteError, match="another position"):
        other.load(path)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(HonteError, match="damaged"):
        again.load(path)
    path.write_bytes(b"(;GM[1])")
    with pytest.raises(HonteError, match="not a search tree"):
        again.load(path)
    with pytest.raises(HonteError, match="Cannot read"):
        again.load(tmp_path / "nothing")


def test_advancing_keeps_the_subtree_and_refuses_what_is_illegal():
    search = Search(Go(5).new_initial_state(), None, Hashed(26))
    search.run(visits=300)
    child = search.result().children[0]
    below = tree_of(search.root.child(child.action))
    assert search.advance(child.action)
    assert tree_of(search.root) == below
    assert search.result().visits == child.n
    with pytest.raises(HonteError, match=f"Action {child.action} is not legal"):
        search.advance(child.action)
    unseen = [a for a in search.state.legal_actions() if search.root.child(a) is None]
    assert not search.advance(unseen[0])
    assert search.result().visits == 0


# Decisions and formulas


def decided(decision: Decision, **config):
    search = Search(
        Go(5).new_initial_state(), SearchConfig(decision=decision, **config), Hashed(26), seed=3
    )
    return search.run(visits=200)


def test_tiny_temperatures_do_not_overflow():
    policy = visit_policy(np.array([1600.0, 1599.0, 1.0]), 0.01)
    assert policy[0] == pytest.approx(1 / (1 + (1599 / 1600) ** 100), rel=1e-6)
    assert policy.sum() == pytest.approx(1.0)
    sampled = decided(SampleVisits(temperature=0.001))
    assert sampled.action == decided(MostVisits()).action


def test_gumbel_spends_its_plan_by_halving():
    config = SearchConfig(
        selection=Gumbel(considered=4), decision=GumbelDecision(), parallelism=ONE
    )
    search = Search(Go(5).new_initial_state(), config, Hashed(26), seed=5)
    result = search.run(simulations=1 + 16)
    assert sorted((c.n for c in result.children), reverse=True) == [6, 6, 2, 2]
    assert result.action in {c.action for c in result.children if c.n == 6}
    assert result.policy.sum() == pytest.approx(1.0)
    assert (result.policy[search.state.legal_actions()] > 0).all()
    with pytest.raises(HonteError, match="not seconds alone"):
        search.run(seconds=1.0)


def test_a_halving_in_slices_is_the_halving_of_one_run():
    config = SearchConfig(
        selection=Gumbel(considered=8), decision=GumbelDecision(), parallelism=ONE
    )
    state, evaluator = Go(5).new_initial_state(), Hashed(26)
    whole = Search(state, config, evaluator, seed=5).run(visits=101)
    search = Search(state, config, evaluator, seed=5)
    search.run(Budget(visits=101, seconds=0))
    for _ in range(200):
        sliced = search.run(Budget(visits=101, seconds=0.0002), resume=True)
    assert [(c.action, c.n) for c in sliced.children] == [(c.action, c.n) for c in whole.children]
    assert sliced.action == whole.action


def test_forced_playouts_are_taken_out_of_the_target():
    """Action 3 loses 0.9; only force gives it visits, and the target forgets them."""

    def evaluator(batch):
        lost = np.array([s.board()[0, 3] == 1 for s in batch.states()])
        logits = np.full((batch.size, 26), -20.0, np.float32)
        logits[:, [3, 12, 13]] = np.log([0.1, 0.6, 0.3])
        return Evaluation((0.9 * lost * (1 - 2 * batch.players())).astype(np.float32) * -1, logits)

    def searched(k):
        config = SearchConfig(selection=Puct(forced_playouts=k), parallelism=ONE)
        result = Search(Go(5).new_initial_state(), config, evaluator).run(visits=400)
        return {c.action: c.n for c in result.children}, result.policy

    plain, _ = searched(0.0)
    forced, policy = searched(2.0)
    assert forced[3] >= np.floor(np.sqrt(2.0 * 0.1 * 399)) > plain[3]
    assert policy[3] < forced[3] / 399 / 2
    assert policy.argmax() == max(forced, key=forced.get)


def test_a_formula_of_ones_own_may_be_puct_itself():
    @formula
    def puct(q, n, p, parent):
        return q + 1.5 * np.sqrt(max(1.0, parent.n)) * (p / (1.0 + n))

    from honte.search.config import Custom

    native = Search(Go(5).new_initial_state(), SearchConfig(parallelism=ONE), Hashed(26))
    own = SearchConfig(selection=Custom(formula=puct), parallelism=ONE)
    custom = Search(Go(5).new_initial_state(), own, Hashed(26))
    native.run(visits=300)
    custom.run(visits=300)
    assert tree_of(custom.root) == tree_of(native.root)


def test_a_formula_of_ones_own_sees_restricted_roots_and_chooses_what_is_allowed():
    from honte.search.config import Custom

    @formula
    def puct(q, n, p, parent):
        return q + 1.5 * np.sqrt(max(1.0, parent.n)) * (p / (1.0 + n))

    own = SearchConfig(selection=Custom(formula=puct), parallelism=ONE)
    search = Search(Go(5).new_initial_state(), own, Hashed(26))
    before = {child.action: child.n for child in search.run(visits=100).children}
    some = sorted(before)[:3]
    restricted = search.run(simulations=100, allowed_actions=some).children
    assert sum(child.n - before[child.action] for child in restricted) == 100
    everywhere = search.run(simulations=100).children
    assert {child.action for child in everywhere} > set(some)


def test_a_compiled_formula_divides_by_zero_as_arrays_do():
    pytest.importorskip("numba", reason="compiled formulas need numba")
    from honte.search.config import Custom

    def undefined(q, n, p, parent):
        return q + (parent.n - parent.n) / (parent.n - parent.n)

    config = SearchConfig(selection=Custom(formula=formula(undefined, compile=True)))
    with pytest.raises(HonteError, match="formula gave NaN"):
        Search(Go(5).new_initial_state(), config, Uniform()).run(visits=10)


def test_an_error_in_a_formula_is_the_users_to_see():
    from honte.search.config import Custom

    def broken(q, n, p, parent):
        raise KeyError("beta")

    config = SearchConfig(selection=Custom(formula=formula(broken, compile=False)))
    with pytest.raises(HonteError, match="formula gave NaN") as caught:
        Search(Go(5).new_initial_state(), config, Uniform()).run(visits=10)
    assert isinstance(caught.value.__cause__, KeyError)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Puct(c_puct=-1), "c_puct = -1"),
        (lambda: Puct(c_puct=float("nan")), "c_puct"),
        (lambda: SearchConfig(decision=GumbelDecision()), "needs Gumbel's selection"),
        (
            lambda: SearchConfig(selection=Gumbel(), expansion=Expansion(root_noise=RootNoise())),
            "drop the Dirichlet noise",
        ),
        (
            lambda: SearchConfig(selection=Ucb1(), expansion=Expansion(root_noise=RootNoise())),
            "reads none",
        ),
        (
            lambda: SearchConfig(
                selection=Grave(),
                expansion=Expansion(progressive_widening=ProgressiveWidening()),
            ),
            "drop the progressive widening",
        ),
        (
            lambda: SearchConfig(
                memory=Memory(maximum_nodes=20), parallelism=Parallelism(batch_size=32)
            ),
            "raise maximum_nodes",
        ),
        (lambda: Expansion(threshold=0), "threshold = 0"),
        (lambda: Backup(virtual_visit=3), "virtual_visit"),
        (lambda: RootNoise(weight=1.5), "weight = 1.5"),
    ],
)
def test_a_configuration_that_cannot_be_is_refused_in_a_sentence(make, says):
    with pytest.raises(HonteError, match=says):
        make()


def test_configurations_are_read_from_toml(tmp_path):
    path = tmp_path / "search.toml"
    path.write_text('[selection]\nkind = "puct"\nc_puct = 2.5\n[expansion]\nthreshold = 3\n')
    config = SearchConfig.from_toml(path)
    assert config.selection == Puct(c_puct=2.5)
    assert config.expansion.threshold == 3
    path.write_text("[selection]\nkind = 'puct'\nc_puct = 'high'\n")
    with pytest.raises(HonteError, match=r"In .*search.toml: .*c_puct"):
        SearchConfig.from_toml(path)
    path.write_text("[selection\n")
    with pytest.raises(HonteError, match="not TOML"):
        SearchConfig.from_toml(path)


# Known truths


@pytest.mark.parametrize("seed", range(8))
def test_the_solver_finds_the_exact_value_of_random_trees(seed):
    state = RandomTree(seed, 3, 5, moves_twice=True, uneven=True, results=(-1.0, 0.0, 1.0))
    config = SearchConfig(backup=Backup(solver=True))
    result = Search(state, config, Uniform(), seed=seed).run(visits=20_000)
    assert result.stop_reason is StopReason.PROVEN
    assert result.action in best_actions(state)


def test_tic_tac_toe_is_a_draw():
    config = SearchConfig(selection=Ucb1(c=30), backup=Backup(solver=True))
    result = Search(TicTacToe().new_initial_state(), config, Rollout()).run(visits=500_000)
    assert result.stop_reason is StopReason.PROVEN
    assert result.value == 0.0


@pytest.mark.parametrize("seed", range(5))
def test_with_little_exploration_and_many_visits_puct_plays_minimax(seed):
    state = RandomTree(seed, 3, 4, results=(-1.0, -0.5, 0.0, 0.5, 1.0))
    selection = Puct(
        c_puct=0.5, first_play_urgency=FirstPlayUrgency(rule=UrgencyRule.UNVISITED_FIRST)
    )
    result = Search(state, SearchConfig(selection=selection), Uniform()).run(visits=100_000)
    assert result.action in best_actions(state)


def test_a_result_of_go_draws_its_best_moves_on_the_board():
    state = Go(9).new_initial_state(black=[40])
    result = Search(state, presets.uct(), seed=1).run(visits=300)
    picture = result._repr_svg_()
    best = result.children[0]
    assert picture is not None
    assert f">{best.n}</text>" in picture
    assert f">{50 * (best.q + 1):.0f}</text>" in picture


def test_a_result_of_another_game_has_no_board_to_draw():
    search = Search(TicTacToe().new_initial_state(), presets.uct(), seed=1)
    assert search.run(visits=9)._repr_svg_() is None
