"""A conversation by a generated client: `conversation.py BASE TASK_TYPE`. Prints what it was told."""
import json
import sys

import planner_client as planner
from planner_client.rest import ApiException

base, executable = sys.argv[1:]
api_client = planner.ApiClient(planner.Configuration(host=base))
asks, jobs = planner.PlannerApi(api_client), planner.WorkerApi(api_client)
task = planner.Task(type=executable, spec={"command": ["echo", "hello"]})


def told(ask, **options):
    answer = asks.ask(ask, **options).response.actual_instance
    return type(answer).__name__, answer


def too_much(**amounts):
    return planner.Ask(task=task, resources=planner.Resources(compute=[planner.ComputeItem(**amounts)]))


seen = {}
seen["yes"], yes = told(planner.Ask(task=task))
seen["no"], no = told(too_much(min_cores=1000))
seen["reason"] = [no.reasons[0].code, no.reasons[0].asked.actual_instance, no.nearest.changes[0].path]
seen["no in words"], no = told(too_much(min_memory=planner.Size("900000Gb")))
seen["reason in words"] = [no.reasons[0].code, no.reasons[0].asked.actual_instance]
seen["not understood"], no = told(planner.Ask(task=planner.Task(type="urn:none")))
seen["dry runs"] = [told(planner.Ask(task=task), dry_run=True)[0], told(too_much(min_cores=1000), dry_run=True)[0]]

ident = str(yes.offers[0].ident)
seen["accepted"] = asks.update_offer(ident, planner.OfferUpdate(status="ACCEPTED")).offer.status.value
phase = "QUEUED"
while phase in ("QUEUED", "EXECUTING"):
    job = jobs.get_job(ident, wait=60, phase=phase)
    phase = job.phase.value
seen["job"] = [phase, [result.id for result in job.results], jobs.get_job_result(ident, "result")]
seen["list"] = [entry.id == ident for entry in jobs.list_jobs(phase=["COMPLETED"]).jobs]
seen["explained"] = asks.explain_ask(str(yes.ident)).explanation.result
seen["free"] = asks.calendar().calendar.destinations[0].destination
try:
    asks.get_offer("none")
except ApiException as problem:
    seen["problem"] = [problem.status, problem.data.code]
print(json.dumps(seen))
