"""The part of Galaxy that TPV touches, as thin stand-ins, so that the real TPV answers without a Galaxy server."""

import logging
import random
import re
import sys
import types

from pip._vendor.packaging import version as packaging_version

YES, NO = ("true", "yes", "on", "y", "t", "1"), ("false", "no", "off", "n", "f", "0")


def asbool(value):
    if not isinstance(value, str):
        return bool(value)
    word = value.strip().lower()
    if word not in YES + NO:
        raise ValueError(f"String is not true/false: {word!r}")
    return word in YES


def listify(item):
    if not item:
        return []
    if isinstance(item, (list, tuple)):
        return list(item)
    return [part.strip() for part in item.split(",")] if isinstance(item, str) else [item]


class JobMappingException(Exception):
    def __init__(self, failure_message):
        super().__init__(failure_message)
        self.failure_message = failure_message


class JobNotReadyException(Exception):
    def __init__(self, job_state=None, message=None):
        self.job_state, self.message = job_state, message


class JobDestination:
    def __init__(self, **fields):
        self.id, self.runner, self.url, self.shell = None, None, None, None
        self.converted, self.legacy = False, False
        self.tags, self.env, self.params, self.resubmit = [], [], {}, []
        self.__dict__.update(fields)


JobDestination.__module__ = "galaxy.jobs"


class Plain:
    """An object with the attributes given."""

    def __init__(self, **fields):
        self.__dict__.update(fields)


class Requirement:
    def __init__(self, resource_type, value):
        self.resource_type, self.value = resource_type, value

    def get_value(self):
        try:
            return float(self.value)
        except ValueError:
            raise NotImplementedError("expressions are not evaluated")


class Job(Plain):
    def get_param_values(self, app):
        return self.param_values


class Dataset(Plain):
    def get_size(self, nice_size=False, calculate_size=False):
        return self.file_size


class Tool(Plain):
    """What is executed."""


class User(Plain):
    def all_roles(self):
        return self.roles


class Anything:
    """Part of an SQL expression: every attribute, call and operator gives another one."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()

    def __call__(self, *args, **kwargs):
        return Anything()

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __add__ = __and__ = __or__ = lambda self, other: Anything()
    __hash__ = object.__hash__


class Condition:
    """A test of a row."""

    def __init__(self, test):
        self.test = test


class Column:
    """A column of a table of rows that are dicts."""

    def __init__(self, name):
        self.name = name

    def __eq__(self, value):
        return Condition(lambda row: row.get(self.name) == value)

    def in_(self, values):
        return Condition(lambda row: row.get(self.name) in list(values))

    def like(self, pattern):
        parts = [{"%": ".*", "_": "."}.get(one) or re.escape(one) for one in pattern]
        return Condition(lambda row: re.fullmatch("".join(parts), row.get(self.name) or "", re.DOTALL) is not None)

    __hash__ = object.__hash__


class Columns:
    def __getattr__(self, name):
        return Column(name)


class JobQuery:
    """A query of the jobs that a recording says are there."""

    def __init__(self, rows):
        self.rows = rows

    def filter(self, *conditions):
        return JobQuery([row for row in self.rows if all(one.test(row) for one in conditions)])

    def count(self):
        return len(self.rows)

    def __iter__(self):
        return iter([(row["id"],) for row in self.rows])


class Query(Anything):
    """A query of an empty table."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **kwargs: Query()

    def all(self):
        return []

    def first(self):
        return None

    one_or_none = scalar = first

    def count(self):
        return 0

    def __iter__(self):
        return iter(())


def no_sql(*args, **kwargs):
    raise RuntimeError("raw SQL is not available in the recordings")


def production_model(jobs=()):
    """Without jobs every query is of an empty table; with them TPV's own queries of jobs are answered."""
    context = Plain(execute=no_sql, query=(lambda *args: JobQuery(jobs)) if jobs else (lambda *args: Query()))
    return Plain(context=context, session=context, Job=Anything(), User=Anything())


class Cursor:
    def __enter__(self):
        return self

    def __exit__(self, *args):
        return None

    def execute(self, *args):
        return None

    def fetchall(self):
        return []

    def fetchone(self):
        return None

    def close(self):
        return None

    def commit(self):
        return None

    def cursor(self):
        return Cursor()


def module(name, **members):
    made = types.ModuleType(name)
    made.__dict__.update(members)
    sys.modules[name] = made
    parent, _, own = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], own, made)
    return made


def first_of_everything():
    """Chance as the README of the recordings says: the first of everything, of weighted choices the heaviest."""

    def choices(population, weights=None, *, cum_weights=None, k=1):
        population = list(population)
        at = 0 if weights is None else list(weights).index(max(weights))
        return [population[at]] * k

    random.choices = choices
    random.sample = lambda population, k, counts=None: list(population)[:k]
    random.choice = lambda population: population[0]
    random.randint = lambda a, b: a
    random.uniform = lambda a, b: a
    random.random = lambda: 0.0


def install():
    for name in ("galaxy", "galaxy.app", "galaxy.jobs", "galaxy.model", "galaxy.tools", "galaxy.util"):
        module(name)
    module("galaxy.jobs.mapper", JobMappingException=JobMappingException, JobNotReadyException=JobNotReadyException)
    module("galaxy.jobs.rule_helper", RuleHelper=Plain)
    module("galaxy.util.watcher", get_watcher=None)
    module("galaxy.util.bunch", Bunch=Plain)
    module("galaxy.tool_util")
    module("galaxy.tool_util.version", parse_version=packaging_version.parse)
    module("galaxy.tool_util.deps")
    module("galaxy.tool_util.deps.requirements", ResourceRequirement=Requirement)
    module("galaxy.job_metrics", JobMetrics=Plain)
    module("galaxy.structured_app", MinimalManagerApp=Plain)
    module("galaxy.web_stack", ApplicationStack=Plain)
    module("galaxy.model.mapping", init=lambda *args, **kwargs: production_model())
    sys.modules["galaxy.app"].UniverseApplication = Plain
    jobs = sys.modules["galaxy.jobs"]
    jobs.JobDestination, jobs.JobWrapper, jobs.JobConfiguration = JobDestination, Plain, Plain
    model = sys.modules["galaxy.model"]
    for name in ("Job", "User", "Dataset", "HistoryDatasetAssociation", "JobToInputDatasetAssociation"):
        setattr(model, name, type(name, (Plain,), {}))
    # What TPV's own helpers ask of the table of jobs.
    model.Job.id, model.Job.table = Column("id"), Plain(c=Columns())
    sys.modules["galaxy.tools"].Tool = Plain
    sys.modules["galaxy.tools"].GALAXY_LIB_TOOLS_UNVERSIONED = [
        "upload1", "send_to_cloud", "__DATA_FETCH__", "directory_uri", "export_remote",
    ]
    util = sys.modules["galaxy.util"]
    util.asbool, util.listify = asbool, listify
    sql = {name: Anything() for name in "func select and_ or_ not_ case cast distinct desc asc literal text".split()}
    module("sqlalchemy", **sql)
    module("sqlalchemy.orm", Session=Plain, scoped_session=Plain)
    module("psycopg2", connect=lambda *args, **kwargs: Cursor())
    module("packaging", version=packaging_version)
    sys.modules["packaging.version"] = packaging_version
    logging.disable(logging.CRITICAL)
    first_of_everything()
