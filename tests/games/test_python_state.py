"""A game written in Python, seen through the adapter of the native search."""

import numpy as np
import pytest

from honte._core import ConnectFourState, PythonState
from honte.errors import ProtocolError


class Countdown:
    """Take one or two from a heap; who takes the last one wins."""

    def __init__(self, heap=5, player=0):
        self.heap, self.player = heap, player

    def num_distinct_actions(self):
        return 2

    def current_player(self):
        return -4 if self.heap == 0 else self.player

    def legal_actions(self):
        return list(range(min(2, self.heap)))

    def apply_action(self, action):
        if action >= self.heap:
            raise ValueError("there are not so many left")
        self.heap -= action + 1
        self.player = 1 - self.player

    def is_terminal(self):
        return self.heap == 0

    def returns(self):
        return [-1.0, 1.0] if self.player == 0 else [1.0, -1.0]

    def clone(self):
        return type(self)(self.heap, self.player)

    def __str__(self):
        return f"heap of {self.heap}"


def played(state, *actions):
    for action in actions:
        state.apply_action(action)
    return state


def test_a_copy_and_its_origin_go_their_own_ways():
    state = PythonState(Countdown(5))
    copy = state.clone()
    copy.apply_action(1)
    other = copy.clone()
    copy.apply_action(0)
    assert [str(s.object()) for s in (state, other, copy)] == [
        "heap of 5",
        "heap of 3",
        "heap of 2",
    ]


def test_the_users_own_state_is_left_alone():
    own = Countdown(5)
    state = played(PythonState(own), 1)
    own.apply_action(0)
    assert (own.heap, state.object().heap) == (4, 3)


def test_a_finished_game():
    state = played(PythonState(Countdown(3)), 1, 0)
    assert state.is_terminal()
    assert state.current_player() == -4
    assert state.legal_actions() == []
    assert state.returns() == [-1.0, 1.0]


def test_clone_is_called_once_a_simulation():
    """Copies are free until one of them moves, and the last owner moves in place."""
    clones = []

    class Counted(Countdown):
        def clone(self):
            clones.append(self)
            return super().clone()

    root = PythonState(Counted(20))
    clones.clear()
    simulation = root.clone()
    assert not clones
    played(simulation, 0, 1, 1, 0)
    assert len(clones) == 1


BREACHES = {
    "no action": ({"legal_actions": lambda self: []}, "empty while is_terminal"),
    "action refused": (
        {"legal_actions": lambda self: [0, 1]},
        "refuses the legal action 1: apply_action.. raised ValueError: there are not so many left",
    ),
    "action outside": ({"legal_actions": lambda self: [0, 2]}, "has 2, outside 0 … 1"),
    "action twice": ({"legal_actions": lambda self: [0, 0]}, "0 more than once"),
    "returns of the wrong length": ({"returns": lambda self: [1.0]}, "length 1"),
    "returns too large": ({"returns": lambda self: [2.0, -2.0]}, r"must lie in \[-1, 1\]"),
    "returns not a number": ({"returns": lambda self: [float("nan")] * 2}, "must lie in"),
    "returns not zero-sum": ({"returns": lambda self: [1.0, 1.0]}, "zero-sum"),
    "player outside": ({"current_player": lambda self: 2}, "current_player.. is 2"),
    "chance": ({"current_player": lambda self: -1}, "chance"),
    "simultaneous": ({"current_player": lambda self: -2}, "simultaneous"),
    "clone is no copy": ({"clone": lambda self: self}, "not a copy"),
}


def look_at_everything(game, *actions):
    state = PythonState(game)
    for action in actions:
        state.current_player()
        state.legal_actions()
        state.apply_action(action)
    state.returns()


@pytest.mark.parametrize("breach", BREACHES)
def test_a_breach_is_named_with_the_action_that_led_there(breach):
    methods, sentence = BREACHES[breach]
    broken = type("Broken", (Countdown,), methods)
    last = 1 if breach == "action refused" else 0
    with pytest.raises(ProtocolError, match=sentence) as error:
        look_at_everything(broken(4), 1, 0, last)
    assert "The game Broken" in str(error.value)
    assert "heap of" in str(error.value)
    if breach == "action refused":
        assert isinstance(error.value.__cause__, ValueError)
        assert "The action that led there is 0 (all since the search began: 1 0)" in str(
            error.value
        )


def test_what_is_not_the_games_doing_passes():
    class Interrupted(Countdown):
        def apply_action(self, action):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        PythonState(Interrupted()).apply_action(0)


def test_something_that_is_no_game():
    with pytest.raises(ProtocolError, match=r"The game int .*no method num_distinct_actions"):
        PythonState(7)


def test_without_a_key_no_two_positions_are_the_same():
    state = PythonState(Countdown())
    assert not state.has_key()
    assert state.key() != state.key()


@pytest.mark.parametrize("key", [0, 2**128 - 1, 12345678901234567890123, "text", b"bytes", ""])
def test_a_key_of_ones_own(key):
    keyed = type("Keyed", (Countdown,), {"key": lambda self: key})
    state = PythonState(keyed())
    assert state.has_key()
    assert state.key() == PythonState(keyed()).key()
    if isinstance(key, int):
        assert state.key() == key


@pytest.mark.parametrize("key", [-1, 2**128, 1.5])
def test_a_key_that_cannot_be(key):
    keyed = type("Keyed", (Countdown,), {"key": lambda self: key})
    with pytest.raises(ProtocolError, match="key"):
        PythonState(keyed()).key()


def test_a_native_state_keeps_the_protocol():
    native, wrapped = ConnectFourState(), PythonState(ConnectFourState())
    for action in [3, 3, 2, 4, 1, 0, 0, 5]:
        assert wrapped.legal_actions() == native.legal_actions()
        assert wrapped.key() == native.key()
        assert wrapped.observation_tensor(1) == native.observation_tensor(1).ravel().tolist()
        assert wrapped.transform_action(action, 1) == 6 - action
        native.apply_action(action)
        wrapped.apply_action(action)


@pytest.mark.parametrize("planes", [[1, 2.5], (1.0, 2.5), np.array([[1.0], [2.5]], np.float32)])
def test_observations_of_any_kind(planes):
    seeing = type("Seeing", (Countdown,), {"observation_tensor": lambda self: planes})
    assert PythonState(seeing()).observation_tensor() == [1.0, 2.5]


def test_observations_under_a_symmetry_are_asked_for_by_name():
    class Mirrored(Countdown):
        def num_symmetries(self):
            return 2

        def transform_action(self, action, symmetry):
            return 1 - action if symmetry else action

        def observation_tensor(self, *, symmetry=0):
            return [float(symmetry)]

    state = PythonState(Mirrored())
    assert [state.observation_tensor(symmetry) for symmetry in (0, 1)] == [[0.0], [1.0]]
    assert state.transform_action(0, 1) == 1


@pytest.mark.parametrize(
    ("methods", "sentence"),
    [
        ({}, "no method observation_tensor"),
        ({"observation_tensor": lambda self: ["a"]}, "raised TypeError"),
        ({"observation_tensor": lambda self: np.zeros(3 + self.heap)}, "size must not change"),
    ],
)
def test_observations_that_cannot_be(methods, sentence):
    state = PythonState(type("Blind", (Countdown,), methods)())
    with pytest.raises(ProtocolError, match=sentence):
        [state.observation_tensor(), state.apply_action(0), state.observation_tensor()]


def test_actions_in_any_order_and_of_any_integer_type():
    odd = type("Odd", (Countdown,), {"legal_actions": lambda self: np.array([1, 0])})
    assert PythonState(odd()).legal_actions() == [0, 1]
