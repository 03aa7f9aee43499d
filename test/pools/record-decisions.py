"""Answers of TPV's own stores of resource pools to claims at random, one line of JSON for each sequence.

    $TPV_PYTHON record-decisions.py SEED COUNT > decisions.jsonl
"""

import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../conformance/oracle"))
import galaxy_stand_ins as galaxy  # noqa: E402

rnd = random.Random(int(sys.argv[1]))
galaxy.install()

from tpv.core.resource_pool import Budget, InMemoryAllocationStore, PoolAdmission, ResourceUsage  # noqa: E402

AMOUNTS = [0.0, 1.0, 2.0, 3.8, 7.6, 8.0]
BOUNDS = [None, None, 0.0, 4.0, 8.0, 11.4, 16.0]


def claim(pool, policy):
    request = ResourceUsage(*(rnd.choice(AMOUNTS) for _ in range(3)))
    budget, most, reserve = policy
    return PoolAdmission(pool, request, rnd.choice(["normal", "normal", "oversize"]), budget, most, reserve, set())


def told(one):
    return {
        "pool": one.pool, "oversize": one.kind == "oversize", "request": one.req._asdict(), "budget": one.budget._asdict(),
        "mostOversize": one.max_oversize, "reserve": one.reserve_pool,
    }


for _ in range(int(sys.argv[2])):
    store = InMemoryAllocationStore()
    pools = {name: (Budget(*(rnd.choice(BOUNDS) for _ in range(3))), rnd.choice([0, 1, 2]), rnd.random() < 0.3) for name in "ab"}
    steps = []
    for job in range(rnd.randrange(2, 8)):
        claims = [claim(name, pools[name]) for name in rnd.choice([["a"], ["b"], ["a", "b"]])]
        steps.append({"claims": [told(one) for one in claims], "admitted": store.admit_many(7, job, claims)})
    print(json.dumps(steps))
