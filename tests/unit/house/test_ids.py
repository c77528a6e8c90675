"""Identifiers and salts: fresh ones each time, in every thread and every process."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

from turnledger.ids import new_id, new_salt


def test_nothing_is_handed_out_twice() -> None:
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: (new_id(), new_salt()), range(2000)))
    assert len({one for one, _ in made}) == len({salt for _, salt in made}) == len(made)
    assert {(one.version, len(salt)) for one, salt in made} == {(7, 32)}


def test_a_forked_child_does_not_share_its_parents_randomness() -> None:
    new_salt()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, b"".join(new_salt() for _ in range(64)))
        os._exit(0)
    os.waitpid(child, 0)
    theirs = os.read(reading, 64 * 32)
    os.close(reading)
    os.close(writing)
    ours = {new_salt() for _ in range(64)}
    assert not ours & {theirs[start : start + 32] for start in range(0, len(theirs), 32)}
