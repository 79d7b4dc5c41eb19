"""One simulation at a time shows what the search really does."""

from __future__ import annotations

import math
from itertools import islice

import pytest

from honte.errors import HonteError
from honte.evaluation.simple import Rollout
from honte.games.go import Go
from honte.games.tic_tac_toe import TicTacToe
from honte.search import Search, SearchConfig
from honte.search.config import Backup, Grave, Gumbel, Parallelism, Puct, Rave
from honte.search.reference import ReferenceSearch
from honte.search.reference.amaf import weight
from honte.search.steps import LeafKind
from search.hashed_evaluators import Hashed

ONE = Parallelism(batch_size=1, batches_in_flight=1)


def first(search, count):
    return list(islice(search.steps(), count))


def test_steps_and_run_make_the_same_tree():
    state, evaluator = Go(5).new_initial_state(), Hashed(26)
    stepped = Search(state, SearchConfig(parallelism=ONE), evaluator, seed=3)
    first(stepped, 100)
    run = Search(state, SearchConfig(parallelism=ONE), evaluator, seed=3)
    result = run.run(simulations=100)
    assert [(c.action, c.n, c.w) for c in stepped.result().children] == [
        (c.action, c.n, c.w) for c in result.children
    ]


def test_the_first_simulation_evaluates_the_root_and_the_second_goes_to_the_best_prior():
    evaluator = Hashed(9)
    search = Search(TicTacToe().new_initial_state(), SearchConfig(parallelism=ONE), evaluator)
    root, second = first(search, 2)
    assert root.way == ()
    assert root.leaf_kind is LeafKind.NEW
    assert root.value == pytest.approx(evaluator.one(search.state)[0])
    assert sum(root.priors.values()) == pytest.approx(1.0, abs=1e-3)
    (step,) = second.way
    assert step.opened
    assert step.edges == ()
    assert step.chosen_action == max(root.priors, key=root.priors.get)
    # The value at the leaf is the opponent's; the edge holds it from the chooser's side.
    assert second.player == 1
    assert step.after.w == pytest.approx(-second.value)
    assert step.after.n == 1


def test_selection_took_the_highest_score():
    config = SearchConfig(selection=Puct(c_puct=1.5), parallelism=ONE)
    search = Search(Go(5).new_initial_state(), config, Hashed(26), seed=1)
    for simulation in first(search, 150):
        for step in simulation.way:
            best = max((edge.score for edge in step.edges), default=-math.inf)
            if step.opened:
                scale = 1.5 * math.sqrt(max(1, sum(edge.n for edge in step.edges)))
                assert step.urgency + scale * step.after.p >= best
            else:
                chosen = next(e for e in step.edges if e.action == step.chosen_action)
                assert chosen.score == best


def test_the_numbers_are_the_references():
    state, evaluator = TicTacToe().new_initial_state(), Hashed(9)
    config = SearchConfig(backup=Backup(solver=True), parallelism=ONE)
    search = Search(state, config, evaluator, seed=9)
    reference = ReferenceSearch(state, config, evaluator.one, seed=9)
    for simulation in first(search, 200):
        reference.run(1)
        node = reference.root
        for step in simulation.way:
            edge = next(e for e in node.edges if e.action == step.chosen_action)
            assert (edge.n, edge.w) == (step.after.n, step.after.w)
            node = edge.child
        assert node.terminal == (simulation.leaf_kind is LeafKind.TERMINAL)


def test_a_finished_game_has_no_steps_and_rollouts_can_be_watched():
    state = TicTacToe().new_initial_state()
    watched = first(Search(state, None, Rollout()), 30)
    assert [s.number for s in watched] == list(range(1, 31))
    assert {s.value for s in watched} <= {-1.0, 0.0, 1.0}
    for action in (0, 3, 1, 4, 2):
        state.apply_action(action)
    assert list(Search(state).steps()) == []


def test_nan_from_an_evaluator_ends_the_steps_with_a_sentence():
    from honte.evaluation.contract import Evaluation

    def broken(batch):
        import numpy as np

        return Evaluation(np.full(batch.size, np.nan, np.float32))

    search = Search(TicTacToe().new_initial_state(), None, broken)
    with pytest.raises(HonteError, match=r"value is -?nan"):
        next(search.steps())
    assert search.result().visits == 0


@pytest.mark.parametrize("selection", [Rave(), Grave(reference=20)])
def test_the_amaf_values_of_a_step_are_those_that_selection_read(selection):
    config = SearchConfig(selection=selection, parallelism=ONE)
    search = Search(Go(5).new_initial_state(), config, Rollout(), seed=2)
    seen_of_an_ancestor = False
    for simulation in first(search, 120):
        for step in simulation.way:
            total = sum(edge.n for edge in step.edges)
            own_side = step.player == simulation.way[_depth(simulation, step.amaf_node)].player

            def score(edge, step=step, total=total, own_side=own_side):
                w, n = step.amaf.get(edge.action, (0.0, 0))
                beta = weight(selection, total, edge.n, n) if own_side else 0.0
                if edge.n == 0 and beta == 0.0:
                    return math.inf
                mean = (1.0 - beta) * edge.q if edge.n else 0.0
                return mean + (beta * w / n if beta else 0.0)

            if step.edges and not step.opened:
                chosen = next(e for e in step.edges if e.action == step.chosen_action)
                assert score(chosen) == pytest.approx(max(map(score, step.edges)))
            seen_of_an_ancestor |= step.amaf_node != step.node_index
    assert seen_of_an_ancestor == isinstance(selection, Grave)


def _depth(simulation, node_index):
    return next(i for i, step in enumerate(simulation.way) if step.node_index == node_index)


def test_planned_steps_halve_as_a_run_does():
    config = SearchConfig(selection=Gumbel(considered=8), parallelism=ONE)
    run = Search(Go(5).new_initial_state(), config, Hashed(26), seed=4)
    run.run(simulations=60)
    stepped = Search(Go(5).new_initial_state(), config, Hashed(26), seed=4)
    list(islice(stepped.steps(planned=60), 60))
    visits = {edge.action: edge.n for edge in run.root.edges()}
    assert {edge.action: edge.n for edge in stepped.root.edges()} == visits
    assert stepped.halving_scores() == run.halving_scores()
