"""A network described in words, as ``honte networks info`` prints it."""

from __future__ import annotations

from honte.networks.network import Network, NetworkDescription


def describe(network: Network) -> str:
    """Several lines: what the network is, reads, says and is good for."""
    about = network.description
    blocks = ", ".join(f"{count} {kind}" for kind, count in about.blocks)
    lines = [
        ("name", network.name),
        ("format", f"{about.format}, version {about.version}"),
        ("architecture", about.architecture),
        ("blocks", blocks or "not stated in the file"),
        ("channels", str(about.channels) if about.channels else "not stated in the file"),
        ("parameters", f"{about.parameters:,}"),
        ("arithmetic", _arithmetic(about)),
        ("inputs", _inputs(about)),
        ("outputs", _outputs(about)),
        ("file", _size(about.file_size)),
        ("good for", _good_for(about)),
    ]
    return "\n".join(f"{label:<13}{text}" for label, text in lines)


def _arithmetic(about: NetworkDescription) -> str:
    if not about.gigaflops_19x19:
        return "not stated in the file"
    return f"{about.gigaflops_19x19:.2f} GFLOP for one evaluation on 19×19"


def _inputs(about: NetworkDescription) -> str:
    text = "22 planes (stones, liberties, ko, last 5 moves, ladders, area), 19 numbers on the rules"
    return text + (", 192 numbers on the players" if about.reads_players else "")


def _outputs(about: NetworkDescription) -> str:
    policy = {1: "policy", 2: "policy (plain and optimistic)"}.get(
        about.policy_outputs, "policy (plain and optimistic), outcome of each move"
    )
    text = f"{policy}, win/loss/no result, score and lead in points, ownership"
    return text + (", expected errors" if about.has_short_term_errors else "")


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB"


def _good_for(about: NetworkDescription) -> str:
    """Said from the size and the inputs alone: a file does not know how strong it is."""
    if about.reads_players:
        return "moves as people of a given rank and time would play them"
    where = "play and analysis under every rule set, on square and oblong boards of many sizes"
    speed = about.gigaflops_19x19
    if not speed:
        return where
    if speed < 2:
        return f"{where}; small, so quick on a processor alone"
    if speed < 20:
        return f"{where}; middle-sized, so patient on a processor, quick on a graphics card"
    return f"{where}; large, so best with a graphics card"
