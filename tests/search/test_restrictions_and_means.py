"""Restrictions inside the tree, and what a subtree's evaluations say on the mean."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from honte import presets
from honte.evaluation import Evaluation, LeafBatch, Uniform
from honte.games.go import BLACK, WHITE, Go
from honte.search import Restriction, Search, SearchResult, TreeNode
from honte.search.config import Backup
from patience import PATIENCE

C3, D3 = 12, 13
FIVE = Go(5)


class Opinionated:
    """Black is 3 points ahead and owns the board; the chance of no result is one in four."""

    def __call__(self, batch: LeafBatch) -> Evaluation:
        side = np.array([1.0 if p == BLACK else -1.0 for p in batch.players()], np.float32)
        ownership = np.repeat(side[:, None], 25, axis=1)
        return Evaluation(
            value=0.1 * side,
            policy_logits=np.zeros((batch.size, batch.num_actions), np.float32),
            score_mean=3 * side,
            score_stdev=np.full(batch.size, 2.0, np.float32),
            score_lead=3 * side,
            no_result=np.full(batch.size, 0.25, np.float32),
            ownership=ownership,
        )


def chosen(node: TreeNode) -> set[int]:
    return {edge.action for edge in node.edges()}


def below(node: TreeNode) -> list[TreeNode]:
    return [edge.child for edge in node.edges() if edge.child is not None]


@pytest.mark.parametrize(
    ("config", "evaluator"), [(presets.uct(), None), (presets.alphago_zero(), Opinionated())]
)
def test_restrictions_hold_down_to_their_depth_and_no_further(config, evaluator):
    search = Search(FIVE.new_initial_state(), config, evaluator)
    search.restrict(
        [
            Restriction(WHITE, frozenset([C3]), 2, allow=True),
            Restriction(BLACK, frozenset([C3, D3]), 3, allow=False),
        ]
    )
    search.run(visits=3000)
    assert {C3, D3} <= chosen(search.root), "the root has allowed_actions of its own"
    seen_deeper: set[int] = set()
    for reply in below(search.root):
        if reply.action != C3:  # there it is not legal, and the restriction has no say
            assert chosen(reply) <= {C3}
        for second in below(reply):
            assert not chosen(second) & {C3, D3}
            for third in below(second):
                seen_deeper |= chosen(third)
    assert D3 in seen_deeper


def test_another_restriction_begins_the_tree_anew():
    search = Search(FIVE.new_initial_state(), presets.uct())
    restriction = [Restriction(WHITE, frozenset([C3]), 2, allow=False)]
    search.restrict(restriction)
    search.run(visits=100)
    search.restrict(restriction)
    assert search.root.n == 100
    search.restrict([])
    assert search.root.n == 0


def test_a_policy_filter_never_leaves_a_node_without_actions():
    config = presets.alphago_zero()
    expansion = config.expansion.model_copy(update={"policy_filter": 0.2})

    class Sure:
        def __call__(self, batch: LeafBatch) -> Evaluation:
            logits = np.zeros((batch.size, batch.num_actions), np.float32)
            logits[:, C3] = 20.0
            return Evaluation(value=np.zeros(batch.size, np.float32), policy_logits=logits)

    search = Search(FIVE.new_initial_state(), config.replace(expansion=expansion), Sure())
    search.restrict([Restriction(WHITE, frozenset([C3]), 9, allow=False)])
    search.run(visits=50, allowed_actions=[D3])
    reply = search.root.child(D3)
    assert reply is not None
    assert C3 not in chosen(reply)
    assert len(chosen(reply)) > 1


def test_means_and_ownership_are_from_the_side_to_move_at_each_node():
    config = presets.alphago_zero().replace(backup=Backup(ownership=True))
    search = Search(FIVE.new_initial_state(), config, Opinionated())
    search.run(visits=60)
    for node, side in ((search.root, 1.0), (below(search.root)[0], -1.0)):
        means = node.means()
        assert means.score_mean == pytest.approx(3.0 * side)
        assert means.score_stdev == pytest.approx(2.0, abs=1e-5)
        assert means.no_result == pytest.approx(0.25)
        owned = node.ownership()
        assert owned is not None
        mean, stdev = owned
        assert mean == pytest.approx([side] * 25)
        assert stdev == pytest.approx(np.zeros(25))


def test_without_ownership_there_is_none():
    search = Search(FIVE.new_initial_state(), presets.alphago_zero(), Uniform())
    search.run(visits=20)
    assert search.root.ownership() is None


class Slow:
    """An evaluator with as many places as it has streams, whose batches take until they are let go
    while it is ``held``."""

    streams = 2
    preferred_batch_size = 4

    def __init__(self) -> None:
        self.places = threading.Semaphore(2)
        self.held = False
        self.under_way: list[Slow.Pending] = []

    def submit(self, batch: LeafBatch) -> Slow.Pending:
        assert self.places.acquire(timeout=PATIENCE), "a place was never given back"
        pending = Slow.Pending(self, batch.size, batch.num_actions)
        self.under_way.append(pending)
        if not self.held:
            self.let_go()
        return pending

    def let_go(self) -> None:
        while self.under_way:
            self.under_way.pop().ready.set()

    def __call__(self, batch: LeafBatch) -> Evaluation:
        return self.submit(batch).result()

    class Pending:
        def __init__(self, evaluator: Slow, rows: int, actions: int) -> None:
            self.evaluator, self.rows, self.actions = evaluator, rows, actions
            self.ready = threading.Event()

        def result(self) -> Evaluation:
            assert self.ready.wait(PATIENCE)
            self.evaluator.places.release()
            logits = np.zeros((self.rows, self.actions), np.float32)
            return Evaluation(value=np.zeros(self.rows, np.float32), policy_logits=logits)


def test_a_watched_search_is_stopped_and_reports_while_a_batch_is_under_way():
    evaluator = Slow()
    search = Search(FIVE.new_initial_state(), presets.alphago_zero(), evaluator)
    search.run(visits=1)
    for _ in range(2):
        evaluator.held = True
        reports = 0

        def heard(_: SearchResult) -> None:
            nonlocal reports
            reports += 1
            if reports == 3:
                threading.Thread(target=search.stop).start()

        search.run(visits=100, on_report=heard, report_every=0.05)
        assert reports >= 3
        assert evaluator.under_way, "it did not wait for the batch"
        evaluator.held = False
        evaluator.let_go()
    assert search.run(visits=3).visits >= 3
