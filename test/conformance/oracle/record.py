"""Answers of the real TPV for the cases given.

    $TPV_PYTHON record.py FIXTURES OUT < cases

Cases are lines of JSON as in the README of ../shared/tpv, without `expect`; FIXTURES is what paths in them are relative
to. OUT becomes a folder that `npm run conformance` runs, with cases.jsonl and traces.jsonl. The
answers are those of the TPV that is installed, and a case says which in `tpv`. With `--as-3.2` they are told as TPV 3.2
tells them, without what came after: no fields of resource pools, and the memory of a tool's resource requirements in GiB.
"""

import io
import json
import logging
import os
import re
import sys
from importlib import metadata
from contextlib import redirect_stderr, redirect_stdout

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import galaxy_stand_ins as galaxy  # noqa: E402

galaxy.install()

from ruamel.yaml import YAML  # noqa: E402
from tpv.commands import dryrunner, linter, mypychecker, shell  # noqa: E402
from tpv.commands.dumper import TPVConfigDumper  # noqa: E402
from tpv.commands.test import mock_galaxy  # noqa: E402
from tpv.core import resource_requirements  # noqa: E402
from tpv.core.explain import ExplainCollector  # noqa: E402
from tpv.core.loader import TPVConfigLoader  # noqa: E402
from tpv.core.mapper import EntityToDestinationMapper  # noqa: E402
from tpv.core.resource_pool import InMemoryAllocationStore, ResourcePoolManager  # noqa: E402

AS_BEFORE = "--as-3.2" in sys.argv
VERSION = "3.2.1" if AS_BEFORE else metadata.version("total-perspective-vortex")
if AS_BEFORE:
    resource_requirements.MEBIBYTES_PER_GIB = 1


def read_code(self, loader):
    """The Python of rules as the type checker reads it, without checking types: TPV ends where there is none."""
    for block in mypychecker.gather_all_evaluable_code(loader)[1]:
        if block["return_type"] != "None":
            mypychecker.add_return_to_last_expr(block["code"])


linter.TPVConfigLinter.lint_code = read_code

evaluated = []
to_galaxy = EntityToDestinationMapper.to_galaxy_destination


def remembered(self, entity):
    evaluated.append(entity)
    return to_galaxy(self, entity)


EntityToDestinationMapper.to_galaxy_destination = remembered


PLAIN_NAMES = {
    "'CommentedSeq'": "'list'",
    "'CommentedMap'": "'dict'",
    "'FoldedScalarString'": "'str'",
    "'LiteralScalarString'": "'str'",
    "CommentedSeq.": "list.",
    "CommentedMap.": "dict.",
    "'ScalarFloat'": "'float'",
    "'ScalarInt'": "'int'",
    "'HexInt'": "'int'",
    "'HexCapsInt'": "'int'",
    "'OctalInt'": "'int'",
    "'BinaryInt'": "'int'",
    "'ScalarBoolean'": "'bool'",
}
"""What the YAML reader calls its values in messages of Python."""


def normal(text):
    """Without what differs from run to run, and what came after the version described."""
    for name, plain_name in PLAIN_NAMES.items():
        text = text.replace(name, plain_name)
    if AS_BEFORE:
        text = re.sub(r",? max_concurrent_(?:cores|mem|gpus)=None", "", text)
    return re.sub(r"0x[0-9a-f]{6,}", "0xADDR", re.sub(r"tpv_rule_\d+", "tpv_rule_N", text))


def plain(value):
    """What JSON can say of a value; the rest is told by its text."""
    if value is None or isinstance(value, (bool, int, float)):
        return value if not isinstance(value, float) or abs(value) != float("inf") and value == value else str(value)
    if isinstance(value, str):
        return normal(str(value))
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return str(value)


def name_of(error):
    return "re.error" if type(error).__module__ in ("re", "sre_constants") else type(error).__name__


def message_of(error):
    """Galaxy looks at the message that a wait was given, not at the text of the exception."""
    return (error.message or "") if isinstance(error, galaxy.JobNotReadyException) else str(error)


def load(configs):
    loader = None
    for config in configs:
        if isinstance(config, str):
            loader = TPVConfigLoader.from_url_or_path(config, parent=loader)
        else:
            parsed = YAML(typ="rt").load(config["yaml"]) if "yaml" in config else json.loads(json.dumps(config["inline"]))
            loader = TPVConfigLoader(parsed, parent=loader)
    return EntityToDestinationMapper(loader, resource_pool_store=InMemoryAllocationStore())


loaded = {}


def mapper_of(configs):
    key = json.dumps(configs)
    if key not in loaded:
        if len(loaded) > 20:
            loaded.clear()
        try:
            loaded[key] = load(configs)
        except Exception as error:
            loaded[key] = error
    return loaded[key]


def job_of(case):
    described = case["job"]
    associations = []
    for index, given in enumerate(described["inputs"]):
        stored = galaxy.Dataset(id=given.get("dataset", f"input {index}"), file_size=given["size_bytes"], object_store_id=None)
        dataset = galaxy.Dataset(id=index, name=given["name"], dataset=stored, file_size=given["size_bytes"])
        dataset.get_size = stored.get_size
        dataset.ext = dataset.extension = given.get("ext") or "data"
        associations.append(galaxy.Plain(name=given["name"], dataset=dataset))
    tags = [galaxy.Plain(user_tname=tag, user_value=None) for tag in described.get("history_tags") or []]
    return galaxy.Job(
        id=described.get("id"),
        input_datasets=associations,
        input_library_datasets=[],
        param_values=described.get("param_values") or {},
        parameters=[],
        history=galaxy.Plain(tags=tags),
        destination_params=described.get("destination_params") or {},
        state=described.get("state", "new"),
    )


def tool_of(described):
    uuid = described.get("dynamic_tool_uuid")
    return galaxy.Tool(
        id=described["id"],
        old_id=described["id"],
        version=described.get("version"),
        tool_type=described.get("tool_type", "default"),
        dynamic_tool=None if uuid is None else galaxy.Plain(uuid=uuid),
        resource_requirements=[
            galaxy.Requirement(one["type"], one["value"]) for one in described.get("resource_requirements", [])
        ],
        requires_galaxy_python_environment=described.get("requires_galaxy_python_environment", False),
        is_datatype_converter=described.get("is_datatype_converter", False),
    )


def user_of(described, roles):
    if described is None:
        return None
    return galaxy.User(
        email=described["email"],
        username=described.get("username"),
        id=described.get("id"),
        extra_preferences=described.get("extra_preferences", {}),
        roles=[galaxy.Plain(name=role["name"], deleted=role.get("deleted", False)) for role in roles],
    )


def app_of(case):
    jobs = [{"id": number, **one} for number, one in enumerate(case.get("running_jobs", []))]
    return galaxy.Plain(config=galaxy.Plain(admin_users=["admin@example.org"]), model=galaxy.production_model(jobs))


def judge_map(case):
    mapper = mapper_of(case["configs"])
    if isinstance(mapper, Exception):
        return {"expect": {"load_error": name_of(mapper), "message": normal(str(mapper))[:300]}}
    collector = ExplainCollector()
    evaluated.clear()
    # As in a dry run, nobody has anything of a pool.
    mapper.resource_pools = ResourcePoolManager(InMemoryAllocationStore())
    try:
        user = user_of(case["user"], case["roles"])
        arguments = (app_of(case), tool_of(case["tool"]), user, job_of(case), None, {}, None)
        found = mapper.map_to_destination(*arguments, explain_collector=collector)
        entity = evaluated[-1]
        expect = {"destination": found.id, "runner": found.runner}
        expect |= {name: plain(getattr(entity, name)) for name in ("cores", "mem", "gpus")}
        expect |= {name: plain(getattr(found, name)) for name in ("env", "params", "tags", "resubmit")}
    except SyntaxError:
        expect = {"error": "SyntaxError"}
    except Exception as error:
        expect = {"error": name_of(error), "message": normal(message_of(error))[:300]}
        if expect["error"] == "re.error":
            return {"expect": {"error": "re.error"}}
    return {"expect": expect, "trace": normal(collector.render())}


def judge_dump(case):
    try:
        return {"expect": {"output": normal(TPVConfigDumper(case["configs"]).dump(case["format"]))}}
    except Exception as error:
        return {"expect": {"load_error": name_of(error), "message": normal(str(error))[:300]}}


class Configuration(galaxy.Plain):
    """Galaxy's job configuration, as far as a dry run reads it."""

    def __init__(self, app):
        with open(app.config.job_config_file) as file:
            self.environments = YAML(typ="safe").load(file)["execution"]["environments"]

    def get_destination(self, name):
        return galaxy.Plain(id=name, params=self.environments[name])


mock_galaxy.JobConfiguration = Configuration
made = mock_galaxy.Job.__init__


def without_number(self, id=None):
    """Jobs of a dry run have had numbers only since there are resource pools."""
    made(self, id)
    self.id = id


if AS_BEFORE:
    mock_galaxy.Job.__init__ = without_number


def judge_cli(case):
    """In a process of its own: the commands change the YAML library for all that comes after."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        with os.fdopen(writer, "w") as answer:
            json.dump(run_command(case), answer)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        expect = json.load(answer)
    os.waitpid(child, 0)
    return {"expect": expect}


def run_command(case):
    logging.disable(logging.NOTSET)
    out = io.StringIO()
    sys.argv = case["argv"]
    try:
        with redirect_stdout(out), redirect_stderr(out):
            code = shell.main()
    except SystemExit as error:
        code = error.code
    except Exception as error:
        code, crash = 1, f"{name_of(error)}: {error}"
        logging.disable(logging.CRITICAL)
        return {"exit_code": code, "crash": normal(crash)[:300]}
    text, code = normal(out.getvalue()), code or 0
    if "lint" not in sys.argv:
        return {"exit_code": code, "output": later_fields(text)} if code == 0 else {"exit_code": code}
    if "Traceback" in text:
        return {"exit_code": code, "output_contains": ["Linting failed due to syntax errors in yaml file"]}
    lines = [line for line in text.split("\n") if line]
    if AS_BEFORE:
        lines = [line for line in lines if "T104: Unexpected field '.pools" not in line]
    return {"exit_code": code, "lines_without_T103": lines}


def later_fields(dump):
    """A dump without the fields that came after TPV 3.2."""
    if not AS_BEFORE:
        return dump
    return re.sub(r"^ *(?:resource_pool_store|max_concurrent_(?:cores|mem|gpus)|pools):.*\n", "", dump, flags=re.M)


JUDGES = {"map": judge_map, "dump": judge_dump, "cli": judge_cli}

fixtures, out = (os.path.abspath(path) for path in sys.argv[1:] if path != "--as-3.2")
os.makedirs(out, exist_ok=True)
if not os.path.exists(f"{out}/fixtures"):
    os.symlink(fixtures, f"{out}/fixtures")
os.chdir(fixtures)
with open(f"{out}/cases.jsonl", "w") as cases, open(f"{out}/traces.jsonl", "w") as traces:
    for line in sys.stdin:
        one = json.loads(line)
        answer = JUDGES[one["kind"]](one)
        cases.write(json.dumps({**one, "tpv": VERSION, "expect": answer["expect"]}) + "\n")
        if "trace" in answer:
            traces.write(json.dumps({"id": one["id"], "trace": answer["trace"]}) + "\n")
