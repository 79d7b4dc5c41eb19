"""AlphaGo Zero's loop: what a search teaches, runs that can be killed, games that can be won."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from honte import presets
from honte.errors import HonteError
from honte.evaluation import NetworkEvaluator, OnnxEvaluator, Uniform
from honte.games import TicTacToe
from honte.search import Search, SearchConfig

torch = pytest.importorskip("torch")

from honte.training.checkpoint import load_checkpoint, previous_of  # noqa: E402
from honte.training.runs import RunFolder  # noqa: E402
from honte.training.zero.arena import Side, arena  # noqa: E402
from honte.training.zero.config import (  # noqa: E402
    GameTable,
    GatingTable,
    MeasuringTable,
    NetworkTable,
    SelfPlayTable,
    TrainingTable,
    ZeroConfig,
)
from honte.training.zero.game import open_game  # noqa: E402
from honte.training.zero.learning import draw_parts, loss, new_network  # noqa: E402
from honte.training.zero.loop import learning_rate, run_zero  # noqa: E402
from honte.training.zero.measuring import elo_curve  # noqa: E402
from honte.training.zero.problems import read_known_positions, share_right  # noqa: E402
from honte.training.zero.replay import window_size  # noqa: E402
from honte.training.zero.self_play import play_games  # noqa: E402
from honte.training.zero.targets import (  # noqa: E402
    HORIZONS,
    sample_counts,
    short_term_values,
    surprise,
)
from search.hashed_evaluators import Hashed  # noqa: E402
from tiny_runs import tiny_run  # noqa: E402

TINY = tiny_run(
    {"games": 12, "temperature_moves": 4},
    {"uses": 6},
    gating=GatingTable(games=4, visits=6),
    measuring=MeasuringTable(
        every=1, games=4, visits=8, opponent_visits=8, games_against_earlier=4
    ),
    iterations=3,
)


def weights(folder):
    return load_checkpoint(folder / "checkpoint.pt")["learner"]["mean"]


def same(first, second):
    return all(torch.equal(value, second[name]) for name, value in first.items())


def test_surprise_is_the_divergence_and_moves_weight():
    prior = np.array([0.5, 0.5], np.float32)
    assert surprise(np.array([0.5, 0.5]), prior) == pytest.approx(0, abs=1e-7)
    assert surprise(np.array([1.0, 0.0]), prior) == pytest.approx(np.log(2))
    random = np.random.default_rng(0)
    counts = sum(sample_counts([3.0, 1.0, 0.0, 0.0], 0.5, random) for _ in range(2000)) / 2000
    np.testing.assert_allclose(counts, [2.0, 1.0, 0.5, 0.5], atol=0.05)


def test_the_window_grows_more_slowly_than_the_samples():
    """KataGo's: with c = 250,000, α = 0.75, β = 0.4, 60 million samples leave 8 million."""
    table = TrainingTable(window_first=250_000)
    assert window_size(1000, table) == 1000
    assert window_size(250_000, table) == 250_000
    assert window_size(60_000_000, table) == pytest.approx(8.2e6, rel=0.02)


def test_samples_say_who_won_for_the_side_to_move_and_turn_with_their_policy():
    game = open_game(GameTable(name="tic_tac_toe"))
    table = SelfPlayTable(games=8, visits=12, fast_visits=6, full_share=1.0, surprise_share=0.0)
    samples, report = play_games(game, table, Uniform(), 0, seed=1)
    assert len(samples) == report.moves, "without surprise every position is there once"
    assert set(np.unique(samples.value)) <= {-1.0, 0.0, 1.0}
    own, other = samples.planes[:, 0].astype(int).swapaxes(0, 1)
    stones = own.sum(axis=(1, 2)) - other.sum(axis=(1, 2))
    assert set(np.unique(stones)) <= {0, -1}, "the side to move never has more stones"
    # A stone and a probability at one cell of a symmetry: no policy on an occupied cell, ever.
    taken = (samples.planes.sum(axis=2) > 0).reshape(len(samples), game.symmetries, 9)
    assert (samples.policy[taken] == 0).all()
    np.testing.assert_allclose(samples.policy.sum(axis=2), 1.0, atol=5e-3)


def test_go_is_turned_with_its_policy():
    game = open_game(GameTable(name="go", size=5, komi=0.5))
    table = SelfPlayTable(games=2, visits=8, fast_visits=4, full_share=1.0, longest_game=20)
    samples, _ = play_games(game, table, Uniform(), 0, seed=1)
    (part,) = draw_parts(game, samples, 64, 1, seed=0, step=0)
    stones = (part.planes[:, 1] + part.planes[:, 2]).flatten(1)
    assert (part.policy[:, :-1][stones > 0] == 0).all()
    assert stones.sum() > 0


def test_the_same_seed_gives_the_same_games_bit_for_bit():
    game = open_game(GameTable(name="connect_four"))
    table = SelfPlayTable(games=4, visits=12, fast_visits=6)
    first, _ = play_games(game, table, Uniform(), 0, seed=7)
    again, _ = play_games(game, table, Uniform(), 0, seed=7)
    other, _ = play_games(game, table, Uniform(), 0, seed=8)
    for name in ("planes", "policy", "value"):
        assert getattr(first, name).tobytes() == getattr(again, name).tobytes()
    assert first.planes.tobytes() != other.planes.tobytes()


@pytest.mark.parametrize("considered", [None, 4])
def test_a_game_is_a_function_of_its_number_whatever_shares_its_batches(considered):
    game = open_game(GameTable(name="connect_four"))
    table = SelfPlayTable(
        games=7, at_once=3, visits=12, fast_visits=6, gumbel_considered=considered
    )
    together, report = play_games(game, table, Hashed(7), 5, seed=7)
    alone = [
        play_games(game, table.model_copy(update={"games": 1}), Hashed(7), number, seed=7)[0]
        for number in range(5, 12)
    ]
    assert report.games == 7
    for name in ("planes", "policy", "value", "short_term"):
        joined = np.concatenate([getattr(samples, name) for samples in alone])
        assert getattr(together, name).tobytes() == joined.tobytes()


def test_short_term_values_are_averages_that_end_in_the_result():
    """KataGo's horizons: on 19 × 19 the mean distance is 64, 21 and 7 turns."""
    np.testing.assert_allclose(1 + 361 * np.array(HORIZONS), [64.5, 21.2, 6.8], atol=0.05)
    averages = short_term_values([0.5, -0.25], result=1.0, points=9)
    now = 1 / (1 + 9 * np.array(HORIZONS))
    last = now * -0.25 + (1 - now)
    np.testing.assert_allclose(averages[1], last, rtol=1e-6)
    np.testing.assert_allclose(averages[0], now * 0.5 + (1 - now) * last, rtol=1e-6)


# Chinese rules pay White for Black's stones where White passes at once, which the first positions
# of such a game cannot know.
CHINESE = '{"koRule": "SIMPLE", "scoringRule": "AREA", "friendlyPassOk": true}'


@pytest.mark.parametrize("rules", ["tromp-taylor", CHINESE], ids=["tromp-taylor", "chinese"])
def test_a_finished_game_of_go_says_who_owns_what_and_by_how_much(rules):
    game = open_game(GameTable(name="go", size=5, rules=rules, komi=0.5, komi_deviation=2))
    table = SelfPlayTable(games=6, visits=8, fast_visits=4, full_share=1.0, longest_game=40)
    samples, report = play_games(game, table, Uniform(), 0, seed=3)
    assert len(samples) > 0
    assert report.games == 6
    np.testing.assert_array_equal(np.sign(samples.score), samples.value)
    # Area scoring: the points of the mover less the opponent's, and the komi that it sees.
    komi = 20 * samples.numbers[:, 5]
    points = samples.ownership.sum(axis=(1, 2))
    np.testing.assert_allclose(samples.score, points + komi, atol=1e-4)
    assert len(np.unique(np.abs(komi).round(1))) > 1, "the komi differs from game to game"


def test_a_game_given_up_has_no_final_board():
    game = open_game(GameTable(name="go", size=5))
    table = SelfPlayTable(
        games=3, visits=8, full_share=1.0, fast_visits=4, resign_below=-0.0, played_out_share=0.0
    )
    samples, report = play_games(game, table, Hashed(26), 0, seed=3)
    assert report.resigned == 3
    assert np.isnan(samples.score).all()
    (part,) = draw_parts(game, samples, 8, 1, seed=0, step=0)
    network = new_network(NetworkTable(blocks=1, channels=16, pooled_channels=4), game)
    parts = loss(network, part, TrainingTable())
    assert parts["ownership"] == 0
    assert parts["score"] == 0
    assert parts["value"] > 0


def test_the_auxiliary_heads_learn_the_final_board_and_what_comes_soon():
    """On one batch, learned by heart: the whole way from a game to each head's output."""
    torch.set_num_threads(1)
    game = open_game(GameTable(name="go", size=5, komi=0.5))
    table = SelfPlayTable(games=2, visits=8, fast_visits=4, full_share=1.0, longest_game=30)
    samples, _ = play_games(game, table, Hashed(26), 0, seed=3)
    torch.manual_seed(0)
    network = new_network(
        NetworkTable(blocks=1, channels=32, pooled_channels=8, short_term=True), game
    )
    weights = TrainingTable()
    optimiser = torch.optim.Adam(network.parameters(), lr=3e-3)
    (part,) = draw_parts(game, samples, 16, 1, seed=0, step=0)
    first = {name: float(value.detach()) for name, value in loss(network, part, weights).items()}
    for _ in range(150):
        parts = loss(network, part, weights)
        optimiser.zero_grad()
        parts["total"].backward()
        optimiser.step()
    assert set(first) == {"policy", "value", "score", "ownership", "short_term", "total"}
    outputs = network(part.planes, part.numbers)
    assert ((outputs.ownership.tanh() - part.ownership).abs() < 0.5).float().mean() > 0.95
    assert (20 * outputs.misc[:, 2] - part.score).abs().mean() < 2.0
    told = 2 * outputs.short_term.sigmoid() - 1
    assert (told - part.short_term).abs().mean() < 0.1


def test_games_of_connect_four_are_played_to_their_ends():
    """They can last 42 moves, six for each of the seven actions."""
    game = open_game(GameTable(name="connect_four"))
    table = SelfPlayTable(games=12, visits=4, fast_visits=2)
    _, report = play_games(game, table, Hashed(7), 0, seed=1)
    assert report.draws <= 3
    side = Side(SearchConfig(), Hashed(7), 4)
    wins, draws, losses = arena(game, side, side, games=12, seed=1)
    assert draws <= 3
    assert wins + draws + losses == 12


def test_the_learning_rate_falls_to_a_tenth_over_the_last_part():
    config = ZeroConfig(iterations=10, training=TrainingTable(learning_rate=0.01, falls_over=0.4))
    rates = [learning_rate(config, iteration) for iteration in range(10)]
    expected = [0.01] * 6 + [0.0075, 0.005, 0.0025, 0.001]
    assert rates == pytest.approx(expected)


def test_gumbel_s_search_teaches_in_the_same_loop():
    """With 8 visits over 4 moves its target still covers all: values are completed."""
    game = open_game(GameTable(name="tic_tac_toe"))
    table = SelfPlayTable(
        games=6, visits=8, fast_visits=8, full_share=1.0, gumbel_considered=4, surprise_share=0.0
    )
    samples, report = play_games(game, table, Uniform(), 0, seed=4)
    assert len(samples) == report.moves
    opening = samples.planes[:, 0].sum(axis=(1, 2, 3)) == 0
    assert opening.any()
    assert (samples.policy[opening, 0] > 0).all()


def test_go_from_nothing_makes_a_network_that_plays(tmp_path):
    config = ZeroConfig(
        game=GameTable(name="go", size=5, komi=0.5),
        network=NetworkTable(blocks=1, channels=16, pooled_channels=4, pooling_every=1),
        self_play=SelfPlayTable(games=4, visits=8, fast_visits=4, longest_game=30),
        training=TrainingTable(batch_size=16),
        measuring=MeasuringTable(every=0),
        iterations=2,
    )
    file = run_zero(tmp_path / "run", config)
    assert file.name == "network.bin.gz"
    said = NetworkEvaluator(file).evaluate([open_game(config.game).new_state()])
    assert said.policy.sum() == pytest.approx(1.0, abs=1e-4)


def test_who_is_hopelessly_behind_resigns_and_some_games_are_played_out():
    game = open_game(GameTable(name="tic_tac_toe"))
    table = SelfPlayTable(games=30, visits=60, fast_visits=60, resign_below=-0.5)
    _, report = play_games(game, table, Uniform(), 0, seed=2)
    assert report.resigned > 0
    _, never = play_games(
        game, table.model_copy(update={"resign_below": None}), Uniform(), 0, seed=2
    )
    assert never.resigned == 0
    assert never.moves > report.moves


PROGRAM = """
import signal, sys
sys.path[:0] = {tests!r}
from pathlib import Path
from test_zero import TINY
from honte.training.zero.loop import run_zero
signal.setitimer(signal.ITIMER_PROF, float(sys.argv[2]))
run_zero(Path(sys.argv[1]), TINY)
"""


@pytest.mark.slow
def test_a_run_killed_again_and_again_ends_as_one_that_was_not(tmp_path):
    """Killed as by SIGKILL after random amounts of processor time; the network at the end is the
    same to the last bit."""
    began = time.process_time()
    run_zero(tmp_path / "whole", TINY)
    whole = time.process_time() - began
    here = Path(__file__).parent
    program = PROGRAM.format(tests=[str(here), str(here.parent)])
    random = np.random.default_rng(int(time.time()))
    kills = 0
    for _ in range(60):
        moment = whole * random.uniform(0.05, 0.4 + 0.05 * kills)
        done = subprocess.run(
            [sys.executable, "-c", program, str(tmp_path / "killed"), str(moment)]
        )
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGPROF
        kills += 1
    assert kills >= 2
    assert same(weights(tmp_path / "whole"), weights(tmp_path / "killed"))


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("zero") / "run"
    run_zero(folder, TINY)
    return folder


def test_a_run_stopped_between_and_within_steps_ends_as_one_that_was_not(finished, tmp_path):
    class Stop(Exception):
        pass

    for stop_at in (("playing 12/12", 0), ("learning", 1), ("measuring", 1)):
        seen = []

        def stop(progress, stop_at=stop_at, seen=seen):
            seen.append(progress.doing)
            if progress.doing == stop_at[0] and progress.iteration >= stop_at[1]:
                raise Stop

        with pytest.raises(Stop):
            run_zero(tmp_path / "run", TINY, on_progress=stop)
    run_zero(tmp_path / "run", TINY)
    assert same(weights(finished), weights(tmp_path / "run"))


def test_a_longer_run_goes_on_and_another_configuration_is_refused(finished, tmp_path):
    import shutil

    shutil.copytree(finished, tmp_path / "run")
    before = weights(tmp_path / "run")
    run_zero(tmp_path / "run", TINY.model_copy(update={"iterations": 4}))
    assert not same(before, weights(tmp_path / "run"))
    changed = TINY.model_copy(update={"self_play": SelfPlayTable(games=12, visits=17)})
    with pytest.raises(HonteError, match=r"began with self_play\.fast_visits = 6 and is now asked"):
        run_zero(tmp_path / "run", changed)


def test_a_damaged_checkpoint_is_refused_and_the_one_before_taken_on_demand(finished, tmp_path):
    import shutil

    shutil.copytree(finished, tmp_path / "run")
    checkpoint = tmp_path / "run" / "checkpoint.pt"
    checkpoint.write_bytes(checkpoint.read_bytes()[:-10])
    with pytest.raises(HonteError, match="go on from it"):
        run_zero(tmp_path / "run", TINY)
    assert previous_of(checkpoint).exists()
    run_zero(tmp_path / "run", TINY, use_previous=True)
    assert same(weights(finished), weights(tmp_path / "run"))


def test_metrics_hold_every_iteration_once(finished):
    lines = list(RunFolder(finished).metrics())
    assert [line["step"] for line in lines if "loss/policy" in line] == [1, 2, 3]
    assert [line["step"] for line in lines if "self_play/samples" in line] == [0, 1, 2]
    assert [line["step"] for line in lines if "measured/elo" in line] == [1, 2, 3]
    steps = [line["step"] for line in lines if "measured/score_against_earlier" in line]
    assert steps == [2, 3], "the first has none before it"
    assert sum("gating/score" in line for line in lines) == 3


def test_elo_is_that_of_all_games_together():
    """Three quarters of the points against the fixed opponent are 191 Elo; a network that scores
    as much against the one before is twice that, if both say so."""
    uct, earlier = "measured/score_against_uct", "measured/score_against_earlier"
    many = 100_000
    assert elo_curve([{uct: 0.75}], many, many) == pytest.approx([190.8], abs=0.1)
    score = 1 / (1 + 10 ** (-2 * 190.85 / 400))
    both = [{uct: 0.75}, {"loss/policy": 1.0}, {uct: score, earlier: 0.75}]
    assert elo_curve(both, many, many) == pytest.approx([190.8, 381.7], abs=0.2)
    assert np.isfinite(elo_curve([{uct: 1.0}], 20, 0)).all(), "who won everything has a rating too"


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_the_new_network_plays_where_it_scored_its_share(tmp_path, share):
    gating = GatingTable(games=4, visits=6, share=share)
    config = TINY.model_copy(update={"gating": gating, "iterations": 1})
    run_zero(tmp_path, config)
    saved = load_checkpoint(tmp_path / "checkpoint.pt")
    (line,) = [line for line in RunFolder(tmp_path).metrics() if "gating/score" in line]
    assert line["gating/taken_over"] == float(line["gating/score"] >= share)
    if share == 0.0:
        assert same(saved["playing"], saved["learner"]["mean"])
    elif line["gating/score"] < 1.0:
        assert not same(saved["playing"], saved["learner"]["mean"])


def test_known_positions_are_read_and_counted(tmp_path):
    """Tic-tac-toe: who has two in a row wins at once; the search sees it everywhere, a uniform
    policy, which takes the first free cell, in one place of three."""
    game = open_game(GameTable(name="tic_tac_toe"))
    file = tmp_path / "positions.csv"
    file.write_text("moves,value,right\n0 3 1 4,1,2\n3 0 4 1,1,5\n8 0 7 1,1,6\n")
    positions = read_known_positions(file, game)
    assert [sorted(position.right) for position in positions] == [[2], [5], [6]]
    policy, search = share_right(positions, SearchConfig(), Uniform(), 50)
    assert policy == pytest.approx(1 / 3)
    assert search == 1
    for text, reason in (
        ("moves,right\n0 0,1\n", "Line 2 of .* the move 0 is not legal"),
        ("moves,right\n0,0\n", "Line 2 of .* the right moves '0' are not legal"),
        ("moves,right\n0,x\n", "Line 2 of .* is no position"),
        ("a,b\n1,2\n", "needs the columns moves and right"),
    ):
        file.write_text(text)
        with pytest.raises(HonteError, match=reason):
            read_known_positions(file, game)


def test_the_files_that_a_run_s_file_names_lie_beside_it(tmp_path):
    (tmp_path / "run.toml").write_text('[measuring]\npositions = "known.csv"\n')
    config = ZeroConfig.from_toml(tmp_path / "run.toml")
    assert config.measuring.positions == tmp_path / "known.csv"


def test_a_game_that_is_not_there_is_one_sentence():
    with pytest.raises(HonteError, match="There is no game 'chequers'; there are go, tic_tac_toe"):
        open_game(GameTable(name="chequers"))
    with pytest.raises(HonteError, match="cannot be found: No module named 'nowhere'"):
        open_game(GameTable(name="nowhere:Game"))


@pytest.mark.parametrize(
    ("factory", "reason"),
    [
        ("nowhere:Network", "The network nowhere:Network cannot be found"),
        ("test_zero:no_module", "is no torch.nn.Module"),
        (
            "test_zero:wrong_shape",
            r"should answer 2 positions with policy logits of shape \(2, 9\)",
        ),
    ],
)
def test_a_network_of_the_user_s_that_cannot_be_is_one_sentence(
    tmp_path, factory, reason, monkeypatch
):
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    own = TINY.model_copy(update={"network": NetworkTable(factory=factory)})
    with pytest.raises(HonteError, match=reason):
        run_zero(tmp_path / "run", own)


def no_module(shape, actions):
    return actions


def wrong_shape(shape, actions):
    class Wrong(torch.nn.Module):
        def forward(self, planes):
            return torch.zeros(len(planes), actions + 1), torch.zeros(len(planes))

    return Wrong()


@pytest.mark.slow
def test_tic_tac_toe_is_learned_to_never_losing(tmp_path):
    """Against every possible line of play, on either side, with 64 visits and no luck; learned in
    less than two minutes of processor time."""
    config = ZeroConfig(
        game=GameTable(name="tic_tac_toe"),
        network=NetworkTable(blocks=2, channels=32, pooling_every=0, head_channels=8),
        self_play=SelfPlayTable(
            games=100, visits=50, fast_visits=10, full_share=0.5, temperature_moves=5,
            noise_concentration=4.0, random_moves=4,
        ),
        training=TrainingTable(batch_size=64, uses=8, window_first=4000),
        measuring=MeasuringTable(every=0),
        iterations=24,
    )  # fmt: skip
    began = time.process_time()
    evaluator = OnnxEvaluator(run_zero(tmp_path / "run", config))
    assert time.process_time() - began < 120

    def defeats(side, state):
        if state.is_terminal():
            return int(state.returns()[side] < 0)
        if state.current_player() == side:
            search = Search(state, presets.alphazero(), evaluator, seed=1)
            actions = [search.run(visits=64).action]
        else:
            actions = state.legal_actions()
        total = 0
        for action in actions:
            after = state.clone()
            after.apply_action(action)
            total += defeats(side, after)
        return total

    assert [defeats(side, TicTacToe().new_initial_state()) for side in (0, 1)] == [0, 0]
