"""Jobs are done once, whichever processes end; what cannot be done is said in a sentence."""

import os
import sys
import time
from itertools import count
from pathlib import Path

import pytest

pytest.importorskip("ray", reason="needs Ray: pip install 'honte[cluster]'")

import ray

from honte.cluster import Machine, connect, connection
from honte.cluster.connection import ray_module
from honte.cluster.workforce import Workforce, desks_of
from honte.errors import HonteError
from patience import PATIENCE


class Squares:
    """Squares numbers, two at once. ``first_ends``: who gets one of these numbers first ends;
    ``ends``: who gets that number ends; ``fails``: at this number the work goes wrong."""

    at_once = 2

    def __init__(self, folder=None, first_ends=(), ends=None, fails=None):
        self.folder, self.first_ends, self.ends, self.fails = folder, first_ends, ends, fails

    def bench(self):
        return self

    def check(self):
        pass

    def work(self, take, deliver):
        while True:
            number = take(True)
            if number == self.ends:
                os._exit(1)
            if number in self.first_ends:
                try:
                    with open(Path(self.folder, str(number)), "x") as file:
                        file.write(str(os.getpid()))
                except FileExistsError:
                    pass
                else:
                    os._exit(1)
            if number == self.fails:
                raise HonteError(f"{number} has no square today.")
            time.sleep(0.002)
            deliver(number, (number, number**2, os.getpid()))


@pytest.fixture(autouse=True)
def travels():
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    yield
    ray.cloudpickle.unregister_pickle_by_value(sys.modules[__name__])


def squares(cluster, nodes, recipe, numbers=range(40), on_result=lambda done: None):
    nodes.have(2)
    numbers = iter(numbers)
    done = []
    workforce = Workforce(cluster, recipe, lambda number: number)

    def deliver(found):
        done.append(found)
        on_result(done)
        return True

    try:
        workforce.open()
        workforce.work(lambda: next(numbers, None), deliver)
    finally:
        workforce.close()
    return done


def test_processes_that_end_are_replaced_and_their_jobs_are_done_once(cluster, nodes, tmp_path):
    """Two processes begin, and both end: what they had in hand is done by others."""
    done = squares(cluster, nodes, Squares(str(tmp_path), first_ends=(7, 8)))
    assert sorted(number for number, _, _ in done) == list(range(40))
    assert all(square == number**2 for number, square, _ in done)
    ended = {int((tmp_path / str(number)).read_text()) for number in (7, 8)}
    assert len(ended) == 2
    assert all(process not in ended for number, _, process in done if number in (7, 8))
    assert len(ended | {process for _, _, process in done}) >= 3


def test_a_machine_that_joins_in_the_middle_gets_work(cluster, nodes):
    """There is work until it does some."""
    nodes.have(2)
    before = len(cluster.machines())
    processes = set()
    end = time.monotonic() + PATIENCE

    def numbers():
        for number in count():
            if len(processes) > before or time.monotonic() > end:
                return
            yield number

    def join(done):
        processes.add(done[-1][2])
        if len(done) == 5:
            nodes.have(before + 1)

    done = squares(cluster, nodes, Squares(), numbers(), join)
    assert sorted(number for number, _, _ in done) == list(range(len(done)))
    assert len(processes) == before + 1


@pytest.mark.slow
def test_a_job_that_ends_every_process_is_named(cluster, nodes):
    with pytest.raises(HonteError, match=r"3 processes have ended while they worked on .*\b5\b"):
        squares(cluster, nodes, Squares(ends=5), range(6))


def test_work_that_goes_wrong_is_a_sentence_with_the_machine(cluster, nodes):
    with pytest.raises(HonteError, match=r"On the machine 127\.0\.0\.1 .*: 5 has no square today"):
        squares(cluster, nodes, Squares(fails=5))


def test_a_machine_with_another_honte_is_named(cluster, nodes, monkeypatch):
    monkeypatch.setattr(connection, "source_digest", lambda: "of older files")
    with pytest.raises(HonteError, match=r"127\.0\.0\.1 .* has other files of honte"):
        squares(cluster, nodes, Squares())


def test_a_gpu_has_a_process_and_so_have_a_few_cores():
    desks = [
        desks_of(Machine("", "", cpus, gpus))
        for cpus, gpus in ((1, 0), (3, 0), (16, 0), (16, 1), (1, 2), (0, 1))
    ]
    assert desks == [1, 1, 4, 1, 2, 1]


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("127.0.0.1:9", "Nothing answers at 127.0.0.1:9"),
        ("ray://127.0.0.1:9", "Nothing answers at ray://127.0.0.1:9"),
        ("everywhere", "'everywhere' is no address of a cluster: give auto, local, HOST:6379"),
    ],
)
def test_an_address_where_nothing_is_is_a_sentence(address, sentence, monkeypatch):
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    with pytest.raises(HonteError, match=sentence), connect(address):
        pass


def test_without_ray_the_line_that_installs_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(HonteError, match=r"pip install 'honte\[cluster\]'"):
        ray_module()
