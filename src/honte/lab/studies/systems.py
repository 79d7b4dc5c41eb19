"""Studies of whole systems: how much search, which parts of AlphaGo, which kind of search."""

from __future__ import annotations

from honte.errors import HonteError
from honte.lab.reading import parse_player, with_field
from honte.lab.schedule import Chain, RoundRobin
from honte.lab.specs import AlphaBetaPlayerSpec, LeafValue, Limits, SearchPlayerSpec
from honte.lab.studies.study import Study, StudyOptions, names_of, study_name, with_fields


def simulations(options: StudyOptions) -> Study:
    """Strength against visits."""
    base = options.base("alphago_zero", 400)
    most = base.limits.visits or 0
    steps = [number for number in (2, 10, 30, 100, 400, 1600, 6400) if number <= most]
    alone = options.policy_alone()
    players = [with_field(base, "visits", number, f"{number} visits") for number in steps]
    names = names_of([alone, *players])
    return Study(
        name=study_name("visits", options.size),
        title="The network alone, and with more and more search",
        question="What is search worth to this network, and what is a doubling?",
        settings="AlphaGo Zero's search; the policy alone plays its highest prior. Each meets the "
        "next and the one after it.",
        players=(alone, *players),
        schedule=Chain(names, options.pairs or 16, reach=2),
        game=options.game,
        said="AlphaGo Zero: the network alone about 3000, with a little search about 3500, with "
        "all of it about 4500 and more [Silver 2017]: a good network gains over 1000 Elo.",
        anchor=alone.name,
        axis=dict(zip(names, [1.0, *map(float, steps)], strict=True)),
        axis_label="visits a move (1: the policy alone)",
        logarithmic=True,
    )


_PARTS_OF_ALPHAGO = {
    "rollouts, value, policy (λ 0.5)": {"policy": True, "rollout_weight": 0.5},
    "value, policy (λ 0)": {"policy": True, "rollout_weight": 0.0},
    "rollouts, policy (λ 1)": {"policy": True, "rollout_weight": 1.0},
    "rollouts, value (λ 0.5)": {"policy": False, "rollout_weight": 0.5},
    "value (λ 0)": {"policy": False, "rollout_weight": 0.0},
    "rollouts (λ 1)": {"policy": False, "rollout_weight": 1.0},
}


def alphago_2016(options: StudyOptions) -> Study:
    """Rollouts, value and policy: alone, in pairs, all three."""
    base = with_field(options.base("alphago_zero", 160), "rollout_policy", "patterns", "base")
    searches = [with_fields(base, parts, name) for name, parts in _PARTS_OF_ALPHAGO.items()]
    alone = options.policy_alone()
    players = (*searches, alone)
    return Study(
        name=study_name("alphago-2016", options.size),
        title="AlphaGo 2016: rollouts, value and policy",
        question="What does each of AlphaGo's parts add?",
        settings=f"PUCT with c_puct 1.5, {base.limits.visits} visits a move for all that search. "
        "Rollouts follow a fast policy of patterns, as AlphaGo's did; the value and the policy are "
        "those of one network.",
        players=players,
        schedule=RoundRobin(names_of(players), options.pairs or 5),
        game=options.game,
        said="Extended Data Table 7 of Silver 2016: all three 2890; rollouts and policy 2416; "
        "value and policy 2177; rollouts and value 2077; value 1655; policy alone 1517; rollouts "
        "1457. Each part adds, and all three are best.",
        anchor=alone.name,
    )


def selection(options: StudyOptions) -> Study:
    """UCT, RAVE, GRAVE, PUCT, Gumbel and alpha-beta at equal time."""
    if options.speed is None:
        raise HonteError("A study at equal time needs to measure the players' speeds.")
    network = options.needed_network()
    systems = {
        "UCT": ("uct", "none"),
        "RAVE": ("rave", "none"),
        "GRAVE": ("grave", "none"),
        "PUCT": ("alphago_zero", network),
        "Gumbel": ("gumbel_alphazero", network),
    }
    players: list[SearchPlayerSpec | AlphaBetaPlayerSpec] = []
    for name, (system, leaves) in systems.items():
        player = parse_player(
            f"name={name};preset={system};network={leaves};visits=100;keep_tree=false"
        )
        assert isinstance(player, SearchPlayerSpec)
        visits = max(2, round(options.speed(player) * options.seconds))
        players.append(with_field(player, "visits", visits, name))
    minimax = AlphaBetaPlayerSpec(name="alpha-beta", depth=8, leaf=LeafValue(network=network))
    positions = Limits(visits=max(2, round(options.speed(minimax) * options.seconds)))
    players.append(minimax.model_copy(update={"limits": positions}))
    counts = ", ".join(f"{p.name} {p.limits.visits:,}" for p in players if p.limits)
    return Study(
        name=study_name("selection", options.size),
        title="UCT, RAVE, GRAVE, PUCT, Gumbel and alpha-beta at equal time",
        question="What are playouts, a network and minimax worth in the same time?",
        settings=f"{options.seconds * 1000:g} ms of processor time a move, turned into visits by "
        f"each one's measured speed: {counts}. UCT, RAVE and GRAVE use random rollouts, PUCT and "
        "Gumbel the network. Alpha-beta deepens step by step with the network's value at its "
        "depth, and always finishes the first. No tree is kept between moves.",
        players=tuple(players),
        schedule=RoundRobin(names_of(players), options.pairs or 10),
        game=options.game,
        said="RAVE beats UCT clearly at few playouts [Gelly & Silver 2011], GRAVE beats RAVE "
        "[Cazenave 2015], and a network beats all rollouts; Gumbel gains on PUCT where simulations "
        "are few [Danihelka 2022]. Minimax never became strong at Go.",
        anchor="UCT",
    )
