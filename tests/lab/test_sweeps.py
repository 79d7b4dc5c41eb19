"""Fields over values, settings that are tuned, and players as people write them."""

import pytest

from honte.errors import HonteError
from honte.lab.board_games import GameSpec
from honte.lab.reading import parse_player, read_match_file, with_field
from honte.lab.store import Store
from honte.lab.sweeps import Tuning, range_of, swept, values_of
from honte.search.config import Puct, RootNoise, Symmetry, UrgencyRule
from lab_players import plain_match, uct


def test_lists_and_ranges():
    assert values_of("0.5,1,2") == [0.5, 1, 2]
    assert values_of("0.5:2:0.5") == [0.5, 1.0, 1.5, 2.0]
    assert values_of("100:300:100") == [100, 200, 300]
    assert values_of("identity,mean") == ["identity", "mean"]
    for bad in ("1:2", "2:1:1", "0:1:0", "0:1:0.0001"):
        with pytest.raises(HonteError, match="range"):
            values_of(bad)


def test_any_field_of_a_configuration_can_be_varied():
    base = parse_player("name=b;preset=alphago_zero;visits=10;network=some.bin.gz")
    assert with_field(base, "selection.c_puct", 3, "x").search.selection == Puct(c_puct=3)
    noisy = with_field(base, "expansion.root_noise", {}, "x")
    assert noisy.search.expansion.root_noise == RootNoise()
    assert with_field(noisy, "expansion.root_noise", "none", "y").search == base.search
    mean = with_field(base, "expansion.symmetry", "mean", "x").search.expansion
    assert mean.symmetry is Symmetry.MEAN
    urgency = with_field(base, "selection.first_play_urgency.rule", "parent", "x")
    assert urgency.search.selection.first_play_urgency.rule is UrgencyRule.PARENT
    assert with_field(base, "visits", 99, "x").limits.visits == 99
    assert with_field(base, "rollout_weight", 0.5, "x").leaf.rollout_weight == 0.5
    with pytest.raises(HonteError, match="no field 'c_puct' to vary"):
        with_field(base, "c_puct", 1, "x")
    with pytest.raises(HonteError, match="c_puct = -1"):
        with_field(base, "selection.c_puct", -1, "x")


def test_the_common_network_is_for_those_who_read_one():
    network = {"network": "some.bin.gz"}
    assert parse_player("visits=1", **network).leaf.network == "some.bin.gz"
    assert parse_player("preset=uct;visits=1", **network).leaf.network is None
    assert parse_player("network=none;visits=1", **network).leaf.network is None
    own = parse_player("preset=grave;network=other;visits=1", **network)
    assert own.leaf.network == "other"


def test_a_command_may_hold_semicolons_in_quotes():
    player = parse_player("name=e;engine=sh -c 'a; b' x;timeout=3")
    assert (player.arguments, player.timeout) == (["sh", "-c", "a; b", "x"], 3)


def test_swept_players_are_named_by_their_values():
    names = [player.name for player in swept(uct("u", 10), "selection.c", [0.5, 1])]
    assert names == ["c 0.5", "c 1"]
    with pytest.raises(HonteError, match="two values"):
        swept(uct("u", 10), "selection.c", [1])


def test_players_from_a_file(tmp_path):
    file = tmp_path / "match.toml"
    file.write_text(
        """
        [game]
        size = 7
        komi = 9
        [match]
        openings = { plies = 2 }
        [[player]]
        name = "a"
        preset = "uct"
        visits = 50
        selection = { c = 0.5 }
        [[player]]
        name = "g"
        engine = "gnugo --mode gtp"
        timeout = 5
        """
    )
    game, match, (a, g) = read_match_file(file)
    assert (game.size, game.komi, match.openings.plies) == (7, 9, 2)
    assert a.search.selection.c == 0.5
    assert (g.arguments, g.timeout) == (["gnugo", "--mode", "gtp"], 5)
    file.write_text("[[player]]\npreset = 'uct'\nvisits = 50\ncolour = 'red'\n")
    with pytest.raises(HonteError, match=r"In player 1 of .*'colour' means nothing"):
        read_match_file(file)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("preset=foo;visits=1", "no preset 'foo'"),
        ("preset=uct", "needs a limit"),
        ("preset=uct;visits=0", "visits = 0"),
        ("visits", "is no key=value"),
        ("preset=gumbel_alphazero;seconds=1", "give visits or simulations, not seconds alone"),
        ("engine='", "cannot be split"),
    ],
)
def test_a_player_that_cannot_be_is_a_sentence(text, said):
    with pytest.raises(HonteError, match=said):
        parse_player(text)


def test_whole_numbers_are_tuned_at_a_fixed_time(tmp_path):
    pytest.importorskip("optuna", reason="tuning needs the extra lab")
    base = parse_player("name=base;preset=uct;seconds=0.002")
    field, near = range_of("parallelism.batch_size=1:4:1")
    with Store(tmp_path / "tuned.sqlite") as store:
        tuning = Tuning(
            store, base, {field: near}, pairs=1, game=GameSpec(name="tic-tac-toe"),
            match=plain_match(1),
        )  # fmt: skip
        values = [trial.values[field] for trial in tuning.run(3)]
        assert len(store.games()) == 6
        for number, value in enumerate(values):
            spec = store.player(f"trial {number}")
            assert spec["search"]["parallelism"]["batch_size"] == value
            assert spec["limits"] == {"visits": None, "simulations": None, "seconds": 0.002}
    assert set(values) <= {1, 2, 3, 4}


@pytest.mark.parametrize("text", ["selection.c=1", "selection.c=2:1", "c=1:2:0", "c=1:2:1:1"])
def test_what_is_no_range_is_a_sentence(text):
    with pytest.raises(HonteError, match="range"):
        range_of(text)


def test_tuning_goes_on_where_it_stopped(tmp_path):
    pytest.importorskip("optuna", reason="tuning needs the extra lab")

    def tuning(store):
        return Tuning(
            store, uct("base", 30), dict([range_of("selection.c=0.2:2")]), pairs=2,
            game=GameSpec(name="tic-tac-toe"), match=plain_match(1),
        )  # fmt: skip

    with Store(tmp_path / "tuned.sqlite") as store:
        first = list(tuning(store).run(2))
        games = store.games()
        again = tuning(store)
        trials = list(again.run(4))
        assert trials[:2] == first
        assert store.games()[: len(games)] == games
        assert len(store.games()) == 16
        assert all(0.2 <= trial.values["selection.c"] <= 2 for trial in trials)
        assert again.best().score == max(trial.score for trial in trials)
