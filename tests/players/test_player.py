"""A search that plays a game."""

from __future__ import annotations

import time

import numpy as np
import pytest

from gtp_driver import Fixed
from honte.evaluation import Evaluation, Rollout
from honte.games.go import BLACK, WHITE, Rules
from honte.players.clock import Absolute, Canadian, Clock
from honte.players.game import Game
from honte.players.player import Interruption, PlayerSettings, SearchPlayer
from honte.players.resignation import Resignation
from honte.presets import alphago_zero, uct
from honte.search import Budget
from patience import processor_time_below, until


def new_game(size=9, rules="tromp-taylor", komi=7.5):
    return Game(size, size, Rules.named(rules), komi)


def rollout_player(**settings):
    return SearchPlayer(uct(), Rollout(), PlayerSettings(**{"resignation": None, **settings}))


def test_the_tree_is_kept_over_both_moves():
    player, game = rollout_player(visits=2000), new_game()
    search = player.search_for(game, BLACK)
    result = search.run(visits=2000)
    reply = result.children[0].principal_variation[1]
    game.play(BLACK, result.children[0].action)
    game.play(WHITE, reply)
    assert player.search_for(game, BLACK) is search
    assert search.result().visits > 1
    assert search.state.key() == game.state.key()


def test_a_tree_is_dropped_where_it_does_not_fit():
    player, game = rollout_player(), new_game()
    search = player.search_for(game, BLACK)
    game.play(BLACK, 40)
    game.undo()
    assert player.search_for(game, BLACK) is search
    assert player.search_for(game, WHITE) is not search
    game.play(BLACK, 40)
    other = player.search_for(game, WHITE)
    game.undo()
    assert player.search_for(game, BLACK) is not other


# S10
def test_an_inherited_tree_is_no_thought():
    player, game = rollout_player(visits=800, minimum_simulations=100), new_game()
    player.search_for(game, BLACK).run(visits=3000)
    clock = Clock(Absolute(60.0))
    choice = player.choose(game, BLACK, clock.read())
    assert choice.result is not None
    assert choice.result.simulations >= 100


# S9
def test_a_single_allowed_move_gets_every_visit():
    player, game = rollout_player(), new_game()
    result = player.think(game, BLACK, Budget(visits=200), allowed_actions=[40])
    assert [child.action for child in result.children] == [40]
    assert result.children[0].n == 199
    assert result.visits == 200


def test_fixed_visits_are_all_made():
    player, game = rollout_player(visits=500), new_game()
    choice = player.choose(game, BLACK)
    assert choice.result is not None
    assert choice.result.visits == 500


# G10
@pytest.mark.parametrize("system", [Canadian(0.0, 2.0, 1), Absolute(2.0), Absolute(0.0)])
def test_clocks_give_a_move_in_time(system):
    player, game = rollout_player(lag=0.1), new_game()
    with processor_time_below(max(getattr(system, "period", 0.0) or system.main, 0.3)):
        choice = player.choose(game, BLACK, Clock(system).read())
    assert choice.action in game.state.legal_actions()


def test_an_interruption_ends_a_search_whenever_it_comes():
    player, game = rollout_player(), new_game()
    early = Interruption()
    early.ask()
    with processor_time_below(1.0):
        player.think(game, BLACK, Budget(visits=100_000_000), interruption=early)


def test_pondering_grows_the_tree_and_stops():
    player, game = rollout_player(visits=100, pondering=True), new_game()
    game.play(BLACK, 40)
    search = player.search_for(game, WHITE)

    def grown():
        player.ponder(game)
        assert player.is_pondering
        time.sleep(0.3)
        player.stop_pondering()
        assert not player.is_pondering
        return search.result().visits > 200

    until(grown)
    assert player.search_for(game, WHITE) is search


def test_pondering_does_not_change_what_is_legal_afterwards():
    player, game = rollout_player(visits=50, pondering=True), new_game(5)
    for _ in range(12):
        choice = player.choose(game, game.state.to_play)
        assert choice.action in game.state.legal_actions()
        game.play(game.state.to_play, choice.action)
        player.ponder(game)
    player.stop_pondering()


class Hopeless(Fixed):
    """The stub net sees black lost."""

    def __call__(self, batch):
        evaluation = super().__call__(batch)
        signs = [-1.0 if p == BLACK else 1.0 for p in batch.players()]
        return type(evaluation)(
            value=np.array(signs, np.float32), policy_logits=evaluation.policy_logits
        )


def hopeless_player(resignation):
    return SearchPlayer(
        alphago_zero(), Hopeless(), PlayerSettings(visits=60, resignation=resignation)
    )


# S15
def test_resignation_needs_turns_in_a_row():
    player, game = hopeless_player(Resignation(turns=3, earliest_move_share=0.0)), new_game()
    answers = [player.choose(game, BLACK).action for _ in range(4)]
    assert [answer is None for answer in answers] == [False, False, True, True]


def test_resignation_waits_for_a_game_to_be_a_game():
    player, game = hopeless_player(Resignation(turns=1, earliest_move_share=0.2)), new_game()
    assert player.choose(game, BLACK).action is not None


def test_resignation_needs_visits():
    settings = Resignation(turns=1, earliest_move_share=0.0, minimum_visits=1000)
    player, game = hopeless_player(settings), new_game()
    assert player.choose(game, BLACK).action is not None


def test_no_resignation_while_a_pass_wins():
    settings = Resignation(turns=1, earliest_move_share=0.0)
    player, game = hopeless_player(settings), new_game(komi=-30.5)
    game.play(BLACK, 40)
    game.play(WHITE, 81)
    assert player.choose(game, BLACK).action is not None


def test_handicap_lowers_the_threshold():
    class Behind(Fixed):
        def __call__(self, batch):
            evaluation = super().__call__(batch)
            signs = [-0.93 if p == WHITE else 0.93 for p in batch.players()]
            return type(evaluation)(value=np.array(signs, np.float32))

    settings = Resignation(turns=1, earliest_move_share=0.0)
    for handicap, resigns in (((), True), ((20, 24, 56, 60), False)):
        player = SearchPlayer(
            alphago_zero(), Behind(), PlayerSettings(visits=60, resignation=settings)
        )
        game = new_game(rules="chinese")
        game.set_up(black=handicap, to_play=WHITE)
        assert (player.choose(game, WHITE).action is None) is resigns


def test_resignation_can_be_off():
    player, game = hopeless_player(None), new_game()
    assert all(player.choose(game, BLACK).action is not None for _ in range(5))


def test_an_unsettled_position_gets_more_time_than_a_settled_one(monkeypatch):
    """Two moves of equal worth keep a search busy; one that wins at sight ends it early."""
    now = 1.0
    monkeypatch.setattr(time, "perf_counter", lambda: now)

    class Moves:
        """A stub net: the value of a position depends on the first move that led to it. Time goes
        on with each of its answers, by a millisecond for each position."""

        def __init__(self, worth):
            self.worth = worth

        def __call__(self, batch):
            nonlocal now
            now += 0.001 * batch.size
            values = []
            for state, player in zip(batch.states(), batch.players(), strict=True):
                moves = state.moves()
                value = self.worth.get(moves[0][1], -0.9) if moves else 0.0
                values.append(value if player == BLACK else -value)
            logits = np.full((batch.size, batch.num_actions), -6.0, np.float32)
            logits[:, [20, 60]] = 3.0
            return Evaluation(value=np.array(values, np.float32), policy_logits=logits)

    def seconds(worth):
        """Of four searches: which of two equal moves leads when the time is up is chance."""
        settings = PlayerSettings(lag=0.0, resignation=None)
        game = Game(9, 9, Rules.named("chinese"), 7.5)
        players = [
            SearchPlayer(alphago_zero(), Moves(worth), settings, seed=seed) for seed in range(4)
        ]
        clock = Clock(Absolute(60.0)).read()
        return sum(player.choose(game, BLACK, clock).seconds for player in players)

    settled, unsettled = seconds({20: 0.9, 60: -0.9}), seconds({20: 0.3, 60: 0.3})
    assert unsettled > 1.3 * settled
