"""One TOML file a run: the game, the network, self-play, learning, measuring."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from pydantic import Field, model_validator

from honte.search.config import Phase


class GameTable(Phase):
    """``[game]``: what is played."""

    name: str = "go"
    """go, tic_tac_toe, connect_four, othello, gomoku, hex, or ``module:factory`` of your own: a
    callable without arguments that gives the state before the first move."""
    size: int | None = None
    """Side of the board, where the game has one; None: its usual one (Go: 9)."""
    rules: str = "tromp-taylor"
    """Of Go. Tromp-Taylor counts the board as it stands, which needs no judge."""
    komi: float | None = None
    """Of Go; None: the usual one of the rules."""
    komi_deviation: float = Field(default=0.0, ge=0.0)
    """Of Go: the standard deviation of the komi from one game to the next, in points. Games that
    one side would win by its komi alone teach little [KataGo]."""


class NetworkTable(Phase):
    """``[network]``: see :class:`honte.training.architecture.Architecture`."""

    factory: str | None = None
    """``module:function`` for a PyTorch network of your own: called with the observation's shape
    (C, H, W) and the number of actions A, it gives a module from [N, C, H, W] to policy logits
    [N, A] and values [N] in [−1, 1]. The other fields are then not read. Not for Go."""
    blocks: int = 4
    channels: int = 48
    pooling_every: int = 2
    pooled_channels: int = 12
    head_channels: int = 16
    value_hidden: int = 32
    short_term: bool = False
    """Of Go: a head for the values of the search a few turns on, which only training reads."""


class SelfPlayTable(Phase):
    """``[self_play]``: how games are made."""

    games: int = Field(default=64, ge=1)
    """Games an iteration."""
    at_once: int = Field(default=96, ge=1)
    """Games under way at a time, so that their trees fill batches together."""
    batch_size: int = Field(default=16, ge=1, le=4096)
    """Leaves that are sent to the network together. More gains nothing where the network is large,
    and up to 64 where it is so small that a batch costs more than its rows."""
    visits: int = Field(default=100, ge=2)
    """Of a full search: its visits become the policy target."""
    fast_visits: int = Field(default=20, ge=1)
    """Of the searches between; they move the game on and teach nothing [KataGo]."""
    full_share: float = Field(default=0.25, gt=0.0, le=1.0)
    """The share of moves that get a full search: many short games teach the value, few long
    searches the policy [KataGo: playout-cap randomisation]."""
    c_puct: float = Field(default=1.5, gt=0.0)
    first_play_reduction: float = Field(default=0.2, ge=0.0)
    """FPU: what an unvisited move's value lies below its parent's, times √ΣP of visited ones."""
    noise_weight: float = Field(default=0.25, ge=0.0, le=1.0)
    """ε of the Dirichlet noise at the root of full searches [AlphaGo Zero]."""
    noise_concentration: float = Field(default=10.83, gt=0.0)
    """Σα over the legal moves: 0.03 a move on 19 × 19 [AlphaGo Zero]."""
    gumbel_considered: int | None = Field(default=None, ge=2)
    """m: Gumbel AlphaZero's search over so many root moves in place of PUCT, noise and forced
    playouts; it teaches with as few as 16 visits [Danihelka 2022]. None: PUCT."""
    solver: bool = False
    """Whether searches pass the exact results of finished games up [Winands 2008]: for games whose
    ends a search can see, such as Connect Four, and not for Go."""
    keeps_tree: bool = True
    """Whether a search begins with what the one before found below the move played. Never a full
    search of PUCT: its target must not depend on a search without noise."""
    forced_playouts: float = Field(default=2.0, ge=0.0)
    """k: a root move gets at least √(k·P·N) visits, which are taken out of the target again
    where they were not earned [KataGo]."""
    temperature: float = Field(default=1.0, gt=0.0)
    """τ of the first moves."""
    temperature_moves: int = Field(default=30, ge=0)
    """From here on the most visited move is played [AlphaGo Zero: 30 on 19 × 19]."""
    surprise_share: float = Field(default=0.5, ge=0.0, le=1.0)
    """The share of the samples' weight that goes where search surprised the policy [KataGo]."""
    resign_below: float | None = Field(default=None, ge=-1.0, le=0.0)
    """Value at which the side to move gives up; None: every game is played out."""
    played_out_share: float = Field(default=0.1, ge=0.0, le=1.0)
    """Games in which nobody resigns, to see how many resignations were wrong [AlphaGo Zero]."""
    playout_rounds: int = Field(default=0, ge=0)
    """The first iterations, whose games are played by UCT with random playouts in the network's
    place: where a game is short they know more than a network that has learned nothing yet, and
    cost less. 0: the network plays from the start [AlphaGo Zero]."""
    playout_visits: int = Field(default=2000, ge=2)
    """Of each search there."""
    random_moves: int = Field(default=0, ge=0)
    """A game begins with 0 … so many moves drawn at random, each number as likely: what is played
    from there on is learned from positions that no good player would come to, and openings differ.
    0: every game begins at the beginning."""
    ends_when_proven: bool = False
    """With the solver: whether a game is over once a search knows its exact result, which is then
    the game's. What follows would teach nothing that the search could not see."""
    longest_game: int | None = Field(default=None, ge=1)
    """Moves after which a game of Go is scored as it stands, and another is a draw; None: of Go
    three for each point, of other games 1,000."""


class TrainingTable(Phase):
    """``[training]``: how the network learns from the games."""

    batch_size: int = Field(default=128, ge=2)
    uses: float = Field(default=4.0, gt=0.0)
    """How often a sample is learned from, on average."""
    learning_rate: float = Field(default=2e-3, gt=0.0)
    falls_over: float = Field(default=0.2, ge=0.0, le=1.0)
    """The share of the iterations, at the end, over which the learning rate falls to a tenth: what
    was learned by large steps comes to rest."""
    value_weight: float = Field(default=1.0, ge=0.0)
    """Of the loss, beside the policy's 1."""
    search_share: float = Field(default=0.0, ge=0.0, le=1.0)
    """Of the value's target: the average of the search's values over the turns to come (the
    longest of :data:`honte.training.zero.targets.HORIZONS`) in place of the game's result. It
    blames a position less for blunders long after it, and trusts the network more."""
    ownership_weight: float = Field(default=1.0, ge=0.0)
    """Of Go: who owns each point at the end, the mean of the points' cross entropies. It says
    which part of the board lost a game [KataGo, which weighs it as the value]."""
    score_weight: float = Field(default=0.5, ge=0.0)
    """Of Go: the final score, in units of 20 points."""
    short_term_weight: float = Field(default=0.5, ge=0.0)
    """Of each of the three horizons of the short-term value, where the network has it [KataGo:
    0.4 to 1]."""
    weight_decay: float = Field(default=0.03, ge=0.0)
    mean_decay: float = Field(default=0.99, ge=0.0, lt=1.0)
    """Of the running mean of the weights, which is what plays."""
    window_first: int = Field(default=20_000, ge=1)
    """Samples that the window holds before it begins to grow."""
    window_exponent: float = Field(default=0.75, gt=0.0, le=1.0)
    window_growth: float = Field(default=0.4, ge=0.0)
    """The window holds c(1 + β((N/c)^α − 1)/α) of N samples: old games fade, slowly [KataGo]."""
    workers: int = Field(default=2, ge=1)


class GatingTable(Phase):
    """``[gating]``: whether a new network must win its place [AlphaGo Zero]."""

    games: int = Field(default=0, ge=0)
    """Games of each iteration's network against the one that plays; 0: the newest plays, as in
    AlphaZero."""
    share: float = Field(default=0.55, ge=0.0, le=1.0)
    """Of the points that it must score to take over."""
    visits: int = Field(default=100, ge=1)


class MeasuringTable(Phase):
    """``[measuring]``: games against a fixed opponent, random playouts in a UCT search, and against
    the network of the measurement before; both together give the Elo curve."""

    every: int = Field(default=10, ge=0)
    """Iterations between measurements; 0: never."""
    games: int = Field(default=20, ge=2)
    """Against the fixed opponent."""
    visits: int = Field(default=100, ge=1)
    """Of the network's side."""
    opponent_visits: int = Field(default=400, ge=1)
    games_against_earlier: int = Field(default=20, ge=0)
    positions: Path | None = None
    """A file of positions whose best moves are known (see
    :func:`honte.training.zero.problems.read_known_positions`), beside the run's file. The share in
    which policy and search find one of them is measured too."""
    positions_visits: int | None = Field(default=None, ge=1)
    """Of the search there; None: those of a full search."""


class ZeroConfig(Phase):
    """A run from nothing. Every default has its reason beside it."""

    game: GameTable = GameTable()
    network: NetworkTable = NetworkTable()
    self_play: SelfPlayTable = SelfPlayTable()
    training: TrainingTable = TrainingTable()
    gating: GatingTable = GatingTable()
    measuring: MeasuringTable = MeasuringTable()
    iterations: int = Field(default=100, ge=1)
    seed: int = Field(default=0, ge=0)

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.training.batch_size % self.training.workers:
            raise ValueError(
                f"A batch of {self.training.batch_size} cannot be shared by "
                f"{self.training.workers} workers: give a multiple."
            )
        if self.self_play.fast_visits > self.self_play.visits:
            raise ValueError("fast_visits are more than visits: a fast search is the smaller one.")
        return self

    @classmethod
    def from_toml(cls, path: str | Path) -> Self:
        """Read a run's file; the files that it names lie beside it. Raises HonteError naming the
        file and the field at fault."""
        config = super().from_toml(path)
        if config.measuring.positions is None:
            return config
        beside = Path(path).parent / config.measuring.positions
        measuring = config.measuring.model_copy(update={"positions": beside})
        return config.model_copy(update={"measuring": measuring})
