"""A conversation by the client that is generated from the published schema:
`conversation.py BASE IMAGE NOTEBOOK STARS CREDITS EXPIRED`, where EXPIRED is an offer nobody can accept any more.
Prints what it was told, and every answer as it came."""
import json
import sys
import time
import urllib.request

import broker_client as broker
import urllib3
from broker_client.rest import ApiException

base, image, notebook, stars, credits, expired = sys.argv[1:]
KINDS = "https://www.purl.org/ivoa.net/Calycopis-openapi/schema/v1.0/kinds/"
ENDED = ("COMPLETED", "FAILED", "CANCELLED", "REJECTED", "EXPIRED")
answers = []


def open_client(**settings):
    client = broker.ApiClient(broker.Configuration(host=base, **settings))
    deserialize = client.response_deserialize

    def remember(response_data, response_types_map=None):
        answers.append({
            "url": response_data.response.geturl() or "",
            "status": response_data.status,
            "type": response_data.headers.get("content-type"),
            "text": response_data.data.decode(),
        })
        return deserialize(response_data=response_data, response_types_map=response_types_map)

    client.response_deserialize = remember
    return broker.DefaultApi(client)


api = open_client()
still = open_client(retries=urllib3.Retry(redirect=0, raise_on_redirect=False))


def container(*command, **more):
    return broker.DockerContainer(
        kind=KINDS + "executable/docker-container.yaml",
        meta=broker.ComponentMetadata(name="a container"),
        image=broker.DockerImageSpec(locations=[image]),
        command=list(command),
        **more,
    )


def machine(least=1, most=2, **more):
    return broker.SimpleComputeResource(
        kind=KINDS + "compute/simple-compute-resource.yaml",
        meta=broker.ComponentMetadata(name="a machine"),
        cores=broker.SimpleComputeCores(min=least, max=most),
        memory=broker.SimpleComputeMemory(min=1),
        **more,
    )


def request(executable, compute=None, **more):
    return broker.ExecutionRequest(executable=executable, compute=compute or machine(), **more)


def update(session, value, path="phase"):
    change = broker.EnumValueUpdate(kind="uri:enum-value-update", path=path, value=value)
    return api.session_update(session.meta.uuid, change)


def follow(session, until=ENDED):
    deadline = time.monotonic() + 300
    while session.phase.value not in until:
        if time.monotonic() > deadline:
            raise TimeoutError(session.phase.value)
        time.sleep(0.3)
        session = api.session_select(session.meta.uuid)
    return session


def options(session):
    return [option.values for option in session.meta.options or []]


def texts(part):
    return [message.message for message in part.meta.messages or []]


def refusal(call, *arguments):
    try:
        call(*arguments)
        return "no refusal"
    except ApiException as problem:
        return [problem.status, json.loads(problem.body)["code"]]


def output(session):
    """What a session printed, which one of its connectors leads to."""
    for connector in session.connectors or []:
        if connector.location.endswith("/results/stdout"):
            assert connector.status == "AVAILABLE", connector
            return urllib.request.urlopen(connector.location).read().decode()
    return [connector.location for connector in session.connectors or []]


seen = {}

# Ask, read the offers, accept one, follow it, read its results.
hello = request(
    container("sh", "-c", "echo hello $GREETING", environment={"GREETING": "world"}),
    schedule=broker.RequestedScheduleBlock(requested=broker.RequestedScheduleItem(duration="PT5M")),
)
yes = api.execution_request(hello)
first, *others = yes.offers
seen["yes"] = [yes.result, type(first).__name__, first.phase.value, options(first)]
seen["amounts"] = [1 <= offer.compute.cores.min <= offer.compute.cores.max <= 2 for offer in yes.offers]
seen["memory"] = first.compute.memory.min
seen["schedule"] = first.schedule.available.duration
seen["costs"] = [cost.type == credits and cost.min <= cost.max for cost in first.costs]
seen["names"] = [first.executable.meta.name, first.compute.meta.name]
seen["accepted"] = update(first, "ACCEPTED").phase.value in ("ACCEPTED", "WAITING", "PREPARING", "AVAILABLE", "RUNNING")
seen["siblings"] = all(api.session_select(other.meta.uuid).phase.value == "REJECTED" for other in others)
done = follow(first)
seen["done"] = [done.phase.value, options(done), output(done)]
seen["kept"] = api.offer_set_select(yes.meta.uuid).offers[0].phase.value

# The answer of a request without following its redirection.
try:
    still.execution_request(hello)
except ApiException as moved:
    body = broker.OfferSetResponse.from_json(moved.body)
    location = moved.headers["Location"]
    seen["303"] = [moved.status, location.startswith(base) and location.endswith("/offersets/" + str(body.meta.uuid)), body.result]

# What an offer becomes otherwise.
rejected = update(body.offers[0], "REJECTED", "/phase")
seen["rejected"] = [rejected.phase.value, options(rejected)]
seen["illegal"] = refusal(update, rejected, "ACCEPTED")
seen["no such value"] = refusal(update, rejected, "DONE")
seen["expired"] = refusal(api.session_update, expired, broker.EnumValueUpdate(
    kind="uri:enum-value-update", path="phase", value="ACCEPTED"))
seen["unknown"] = refusal(api.session_select, "00000000-0000-7000-8000-000000000000")

# Cancel a running one.
running = follow(api.direct_execution(request(container("sleep", "600"))), ("RUNNING", *ENDED))
seen["running"] = [running.phase.value, options(running)]
seen["cancelled"] = update(running, "CANCELLED").phase.value
cancelled = follow(running)
seen["cancelled at last"] = [cancelled.phase.value, options(cancelled)]

# A refusal, and a cap on costs.
no = api.execution_request(request(container("true"), machine(1000, 1000)))
seen["no"] = [no.result, no.offers or [], len(texts(no)) > 0 and all(texts(no))]
cap = broker.SimpleMinMaxFloatCost(kind=KINDS + "costs/simple-minmax-float-cost.yaml", type=credits, max=0.001)
seen["too dear"] = api.execution_request(request(container("true"), costs=[cap])).result

# Direct execution of a notebook, of a container that fails, and of one that no destination takes.
told = follow(api.direct_execution(broker.ExecutionRequest(executable=broker.JupyterNotebook(
    kind=KINDS + "executable/jupyter-notebook.yaml", location=notebook))))
seen["notebook"] = [told.phase.value, output(told)]
failed = follow(api.direct_execution(request(container("sh", "-c", "echo no such galaxy >&2; exit 3"))))
seen["failed"] = [failed.phase.value, texts(failed)]
try:
    api.direct_execution(request(container("true"), machine(1000, 1000)))
except ApiException as problem:
    seen["direct no"] = [problem.status, problem.data.phase.value, len(texts(problem.data)) > 0]

# Data from elsewhere, mounted in a container.
data = broker.SimpleDataResource(
    kind=KINDS + "data/simple-data-resource.yaml", meta=broker.ComponentMetadata(name="stars"), location=stars)
mount = broker.SimpleVolumeMount(
    kind=KINDS + "volume/simple-volume-mount.yaml", path="/input", mode="READONLY", resource="stars")
read = api.direct_execution(request(container("sh", "-c", "cat /input/*"), machine(volumes=[mount]), data=[data]))
read = follow(read)
seen["data"] = [read.phase.value, output(read), type(read.data[0]).__name__]

print(json.dumps({"seen": seen, "answers": answers}))
