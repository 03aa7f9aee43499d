"""Drives a whole life cycle with pyvo's own job client: `life-cycle.py BASE CLIENT_JOB AUTO_JOB FAILING_JOB LONG_JOB TABLE_JOB`, offers that are accepted."""
import datetime
import json
import sys
import time
import warnings

import pyvo
import requests
from pyvo.dal.tap import AsyncTAPJob, TAPService

warnings.simplefilter("ignore")
base, client_job, auto_job, failing_job, long_job, table_job = sys.argv[1:]
service = TAPService(base)
seen = {"pyvo": pyvo.__version__}


def seconds(duration):
    return int(duration.total_seconds() if hasattr(duration, "total_seconds") else duration.sec)


# What TAPService sends along (LANG, QUERY, REQUEST=doQuery) is none of our business and must not be in the way.
job = service.submit_job("SELECT 1", OFFER=client_job)
seen["created"] = [job.job_id, job.phase, job.uws_version, job.url.endswith("/async/" + client_job)]
job.query = "SELECT 2"
job.execution_duration = 15
later = datetime.datetime(2999, 1, 1)
job.destruction = later
seen["settings"] = [seconds(job.execution_duration), job.destruction.datetime.year < 2999 if hasattr(job.destruction, "datetime") else job.destruction.year < 2999]
job.run()
job.wait(timeout=90)
seen["phase"] = job.phase
seen["results"] = sorted(result.id_ for result in job.results)
uri = next(result.href for result in job.results if result.id_ == "stdout")
seen["stdout"] = requests.get(uri).text

auto = AsyncTAPJob(base + "/async/" + auto_job)
auto.run()
auto.wait(timeout=90)
seen["auto"] = auto.phase

failing = AsyncTAPJob(base + "/async/" + failing_job)
failing.run()
failing.wait(timeout=90)
seen["failed"] = [failing.phase]
try:
    failing.raise_if_error()
except Exception as error:
    seen["failed"].append(type(error).__name__)

long = AsyncTAPJob(base + "/async/" + long_job)
long.run()
long.wait(phases=["EXECUTING"], timeout=90)
long.abort()
# wait() takes an aborted job for one that cannot be waited for.
for _ in range(90):
    if long.phase == "ABORTED":
        break
    time.sleep(1)
seen["aborted"] = long.phase

table = AsyncTAPJob(base + "/async/" + table_job)
table.wait(timeout=90)
seen["table"] = [float(row["magnitude"]) for row in table.fetch_result()]

seen["list"] = [entry.jobid for entry in service.get_job_list(phases=["COMPLETED"], last=1)]
seen["all"] = len(service.get_job_list(after=datetime.datetime(2000, 1, 1)))
job.delete()
seen["deleted"] = requests.get(base + "/async/" + client_job).status_code
print(json.dumps(seen))
