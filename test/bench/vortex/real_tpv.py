"""The real TPV beside ours: maps the jobs it is given and says how long each took.

Reads JSON from standard input: {configs: [path], jobs: [job], rounds: n}, jobs as in src/vortex/job.ts. Writes JSON:
{version, python, loadMs, cpuMs of all counted rounds, times: [ms of every mapping of all rounds], answers: [destination id or exception name]}.
TPV wants parts of Galaxy; what is below stands for them and does nothing that would cost it time. Objects are made
before the clock starts.
"""
import importlib.metadata
import json
import logging
import platform
import sys
import time
import types


def module(name, **members):
    made = types.ModuleType(name)
    made.__dict__.update(members)
    sys.modules[name] = made
    if "." in name:
        parent, child = name.rsplit(".", 1)
        setattr(sys.modules[parent], child, made)
    return made


class Plain:
    def __init__(self, **members):
        self.__dict__.update(members)


class JobMappingException(Exception):
    pass


class JobNotReadyException(Exception):
    def __init__(self, job_state=None, message=None):
        super().__init__(message)


class User(Plain):
    def all_roles(self):
        return self.roles


class Job(Plain):
    def get_param_values(self, app, ignore_errors=False):
        return {}


class Dataset(Plain):
    def get_size(self, **_):
        return self.file_size


class EmptyDatabase:
    """Connection and cursor in one: every query finds nothing."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def cursor(self):
        return self

    def execute(self, *_):
        return None

    def fetchall(self):
        return []


def listify(value):
    return value if isinstance(value, list) else [value]


def asbool(value):
    return str(value).lower() in ("true", "yes", "on", "1", "y", "t")


module("galaxy")
module("galaxy.app", UniverseApplication=Plain)
module("galaxy.model", Job=Job, User=User, Dataset=Dataset, HistoryDatasetAssociation=Plain,
       JobToInputDatasetAssociation=Plain)
module("galaxy.jobs", JobDestination=Plain, JobWrapper=Plain)
module("galaxy.jobs.mapper", JobMappingException=JobMappingException, JobNotReadyException=JobNotReadyException)
module("galaxy.tools", Tool=Plain, GALAXY_LIB_TOOLS_UNVERSIONED=["upload1", "__DATA_FETCH__"])
module("psycopg2", connect=lambda **_: EmptyDatabase())
module("galaxy.util", listify=listify, asbool=asbool)
module("galaxy.util.watcher", get_watcher=None)
module("galaxy.tool_util")
module("galaxy.tool_util.version", parse_version=lambda text: tuple(text.split(".")))

try:
    import sqlalchemy  # noqa: F401
except ImportError:
    module("sqlalchemy", select=None)
    module("sqlalchemy.orm", Session=Plain, scoped_session=dict)

from tpv.rules import gateway  # noqa: E402  (TPV can only be imported once Galaxy is there)


def tool_of(job):
    tool = job["tool"]
    return Plain(id=tool["id"], old_id=tool["id"], name=tool["id"], version=tool.get("version"),
                 tool_type=tool.get("type", "default"), dynamic_tool=None, resource_requirements=[],
                 requires_galaxy_python_environment=False, is_datatype_converter=False)


def user_of(job):
    user = job["user"]
    if user is None:
        return None
    return User(id=user["id"], username=user["username"], email=user["email"], extra_preferences={},
                roles=[Plain(name=role["name"], deleted=False) for role in job["roles"]])


def job_of(job):
    inputs = []
    for index, given in enumerate(job["inputs"]):
        dataset = Dataset(id=index, file_size=given["sizeBytes"], object_store_id=None)
        inputs.append(Plain(name=given["name"], dataset=Plain(id=index, dataset=dataset, ext="txt",
                                                              get_size=dataset.get_size)))
    return Job(id=job.get("id"), input_datasets=inputs, input_library_datasets=[], history=Plain(tags=[]),
               parameters=[], destination_params=None)


def main():
    logging.disable(logging.CRITICAL)
    given = json.load(sys.stdin)
    before = time.perf_counter()
    mapper = gateway.load_destination_mapper(given["configs"])
    load_ms = (time.perf_counter() - before) * 1000
    app = Plain(config=Plain(admin_users=[]), model=None)
    jobs = [(tool_of(job), user_of(job), job_of(job)) for job in given["jobs"]]
    times, answers = [], []
    # One round that does not count: TPV compiles regular expressions and snippets when it first needs them.
    for number in range(given["rounds"] + 1):
        if number == 1:
            used = time.process_time()
        for tool, user, job in jobs:
            start = time.perf_counter()
            try:
                answer = mapper.map_to_destination(app, tool, user, job, None, {}).id
            except Exception as error:  # noqa: BLE001  (any exception is an answer)
                answer = type(error).__name__
            times.append((time.perf_counter() - start) * 1000)
            answers.append(answer)
    cpu_ms = (time.process_time() - used) * 1000
    first = len(jobs)
    json.dump({"version": importlib.metadata.version("total-perspective-vortex"),
               "python": platform.python_version(), "loadMs": load_ms, "cpuMs": cpu_ms, "times": times[first:],
               "answers": answers[-first:]}, sys.stdout)


main()
