"""Reads main results with pyvo: `fetch-result.py BASE USER PASSWORD JOB...`. Prints what came of each job."""
import json
import sys
import warnings

import pyvo
import requests
from pyvo.dal.tap import AsyncTAPJob

warnings.simplefilter("ignore")
base, user, password, *jobs = sys.argv[1:]
session = requests.Session()
session.auth = (user, password)


def outcome(job):
    job.wait(timeout=120)
    try:
        table = job.fetch_result()
        return [float(row["magnitude"]) for row in table]
    except Exception as error:
        return type(error).__name__


def of(job):
    opened = AsyncTAPJob(base + "/async/" + job, session=session)
    told = outcome(opened)
    return {
        "told": told,
        "results": sorted(result.id_ for result in opened.results),
        "bytes": session.get(base + "/async/" + job + "/results/result").text[:20],
    }


def without_credential():
    try:
        AsyncTAPJob(base + "/async/" + jobs[0])
    except Exception as error:
        return type(error).__name__


print(json.dumps({
    "pyvo": pyvo.__version__,
    "jobs": [of(job) for job in jobs],
    "without": without_credential(),
}))
