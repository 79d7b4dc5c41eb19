"""A JAX function guides a search of Connect Four. Needs jax."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from honte.evaluation import Evaluation, LeafBatch
from honte.games import ConnectFour
from honte.search import Search, SearchConfig
from honte.search.config import Parallelism

BATCH = 16


@jax.jit
def network(weights: jax.Array, observations: jax.Array) -> tuple[jax.Array, jax.Array]:
    outputs = observations @ weights
    return outputs[:, :7], jnp.tanh(outputs[:, 7])


def main() -> None:
    weights = 0.1 * jax.random.normal(jax.random.key(0), (2 * 6 * 7, 8))

    def evaluate(leaves: LeafBatch) -> Evaluation:
        rows = np.zeros((BATCH, 2 * 6 * 7), np.float32)  # one shape, so that JAX compiles once
        rows[: leaves.size] = leaves.observations()
        logits, value = network(weights, rows)
        return Evaluation(value=np.asarray(value), policy_logits=np.asarray(logits))

    config = SearchConfig(parallelism=Parallelism(batch_size=BATCH))
    result = Search(ConnectFour().new_initial_state(), config, evaluate, seed=1).run(visits=400)
    print(f"column {result.action}, value {result.value:+.3f} for the side to move")


if __name__ == "__main__":
    main()
