"""How the games of a run begin and end, by what they are played, and how their file is kept."""

import json
import resource
from contextlib import contextmanager

import numpy as np
import pytest

pytest.importorskip("torch")

from honte.errors import HonteError
from honte.evaluation import Rollout, Uniform
from honte.games import TicTacToe
from honte.training.zero.config import GameTable, SelfPlayTable
from honte.training.zero.game import open_game
from honte.training.zero.loop import run_zero
from honte.training.zero.replay import Replay, ZeroSamples
from honte.training.zero.self_play import play_games
from tiny_runs import tiny_run

TINY = tiny_run({"games": 8}, {}, iterations=2)


def best_result(state):
    """1 where the side to move wins, 0, or −1, by trying every line."""
    if state.is_terminal():
        return state.returns()[0]  # of either side: a line of three was made by who is not to move
    mover = state.current_player()
    found = -1.0
    for action in state.legal_actions():
        after = state.clone()
        after.apply_action(action)
        value = after.returns()[mover] if after.is_terminal() else -best_result(after)
        found = max(found, value)
    return found


def position_of(planes):
    """The tic-tac-toe position that a sample shows: the mover's stones, then the opponent's."""
    own, other = (list(np.flatnonzero(plane)) for plane in planes.reshape(2, 9))
    first, second = (own, other) if len(own) == len(other) else (other, own)
    state = TicTacToe().new_initial_state()
    for turn in range(len(own) + len(other)):
        state.apply_action(int((second if turn % 2 else first)[turn // 2]))
        if state.is_terminal():
            return None  # by this order of moves, not by that of the game
    return state


def test_a_game_ends_with_its_exact_result_once_a_search_has_proved_it():
    game = open_game(GameTable(name="tic_tac_toe"))
    table = SelfPlayTable(
        games=1,
        visits=800,
        full_share=1.0,
        surprise_share=0.0,
        solver=True,
        ends_when_proven=True,
        random_moves=5,
    )
    begun_after = set()
    tried = 0
    for number in range(40):
        samples, report = play_games(game, table, Uniform(), number, seed=3)
        assert len(samples) == report.moves
        stones = samples.planes[:, 0].sum(axis=(1, 2, 3))
        begun_after.add(int(stones[0]))
        assert stones[-1] < 7, "a search of two moves' depth sees the rest"
        last = position_of(samples.planes[-1, 0])
        if last is not None:
            tried += 1
            assert samples.value[-1] == best_result(last)
    assert begun_after == {0, 1, 2, 3, 4, 5}
    assert tried >= 30


def test_random_moves_never_end_a_game():
    game = open_game(GameTable(name="tic_tac_toe"))
    random = np.random.default_rng(0)
    assert not any(game.state_of_game(random, 9).is_terminal() for _ in range(100))


def test_rounds_by_playouts_teach_their_visits_and_need_no_network():
    game = open_game(GameTable(name="tic_tac_toe"))
    table = SelfPlayTable(
        games=6, visits=4, fast_visits=2, gumbel_considered=4, playout_visits=300, keeps_tree=False
    )
    samples, report = play_games(game, table, Rollout(), 0, seed=1)
    assert len(samples) == report.moves, "every search is a full one"
    again, _ = play_games(game, table, Rollout(), 0, seed=1)
    assert samples.policy.tobytes() == again.policy.tobytes()
    empty = samples.planes[:, 0].sum(axis=(1, 2, 3)) == 0
    # UCT tries each of the nine moves, and the centre more often than an edge.
    assert (samples.policy[empty, 0] > 0).all()
    assert samples.policy[empty, 0, 4].mean() > samples.policy[empty, 0, 1::2].mean()


def test_a_run_begins_by_playouts_and_goes_on_by_its_network(tmp_path):
    self_play = TINY.self_play.model_copy(update={"playout_rounds": 1, "playout_visits": 50})
    config = TINY.model_copy(update={"self_play": self_play})
    run_zero(tmp_path / "run", config)
    replay = Replay(tmp_path / "run" / "games")
    by_playouts, _ = play_games(open_game(config.game), self_play, Rollout(), 0, config.seed)
    assert replay.load(0).policy.tobytes() == by_playouts.policy.tobytes()
    assert len(replay.load(1)) > 0


def test_a_run_older_than_a_setting_goes_on_by_its_default(tmp_path):
    run_zero(tmp_path / "run", TINY)
    file = tmp_path / "run" / "config.json"
    settings = json.loads(file.read_text())
    del settings["self_play.random_moves"]
    file.write_text(json.dumps(settings))
    run_zero(tmp_path / "run", TINY.model_copy(update={"iterations": 3}))
    assert json.loads(file.read_text())["self_play.random_moves"] == 0
    file.write_text(json.dumps(settings))
    self_play = TINY.self_play.model_copy(update={"random_moves": 2})
    with pytest.raises(HonteError, match=r"began with self_play\.random_moves = 0 and is now"):
        run_zero(tmp_path / "run", TINY.model_copy(update={"self_play": self_play}))


def some_games(size=9):
    game = open_game(GameTable(name="go", size=size))
    table = SelfPlayTable(games=2, visits=2, fast_visits=1, full_share=1.0, longest_game=60)
    return play_games(game, table, Uniform(), 0, seed=1)[0]


def test_a_round_takes_a_twentieth_of_its_arrays_and_older_files_are_read(tmp_path):
    samples = some_games()
    replay = Replay(tmp_path)
    replay.add(0, samples)
    arrays = {name: getattr(samples, name) for name in ZeroSamples.__slots__}
    assert replay.path(0).stat().st_size < sum(array.nbytes for array in arrays.values()) / 20
    with open(replay.path(1), "wb") as file:
        np.savez(file, **arrays)  # as rounds were kept before they were compressed
    for iteration in (0, 1):
        read = Replay(tmp_path).load(iteration)
        for name, array in arrays.items():
            assert getattr(read, name).dtype == array.dtype
            assert getattr(read, name).tobytes() == array.tobytes()


def test_a_damaged_round_is_one_sentence(tmp_path):
    replay = Replay(tmp_path)
    replay.add(0, some_games())
    content = bytearray(replay.path(0).read_bytes())
    content[len(content) // 2 : len(content) // 2 + 40] = bytes(40)
    replay.path(0).write_bytes(content)
    with pytest.raises(HonteError, match="holds no samples that can be read"):
        Replay(tmp_path).load(0)


@contextmanager
def files_no_longer_than(size):
    """As on a disk with so many bytes left: a write beyond them fails."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_leaves_the_rounds_that_were_kept(tmp_path):
    replay = Replay(tmp_path)
    replay.add(0, some_games())
    before = replay.path(0).read_bytes()
    with files_no_longer_than(1000), pytest.raises(HonteError, match="cannot be written"):
        replay.add(0, some_games())
    assert [path.name for path in tmp_path.iterdir()] == ["games-00000.npz"]
    assert replay.path(0).read_bytes() == before
