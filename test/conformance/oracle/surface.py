"""What the TPV that is installed lets rule files say, and what it offers to their Python, as JSON.

    $TPV_PYTHON surface.py > ../surface.json
"""

import inspect
import json
import os
import sys
from importlib import metadata

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import galaxy_stand_ins as galaxy  # noqa: E402

galaxy.install()

from tpv.commands import shell  # noqa: E402
from tpv.core import entities, explain, helpers, mapper, resource_pool, resource_requirements  # noqa: E402


def fields(model):
    return sorted(field.alias or name for name, field in model.model_fields.items() if not field.exclude)


def functions(module):
    found = inspect.getmembers(module, inspect.isfunction)
    own = [(name, function) for name, function in found if function.__module__ == module.__name__ and not name.startswith("_")]
    return {name: list(inspect.signature(function).parameters) for name, function in own}


def attributes(cls):
    return sorted(name for name in vars(cls) if not name.startswith("_") and callable(getattr(cls, name)))


def options():
    commands = shell.create_parser()._subparsers._group_actions[0].choices
    return {name: sorted(word for action in one._actions for word in action.option_strings) for name, one in commands.items()}


models = {
    "rule file": entities.TPVConfig, "global": entities.GlobalConfig, "tool": entities.Tool, "role": entities.Role, "user": entities.User,
    "destination": entities.Destination, "rule": entities.Rule, "pool": entities.PoolEntity, "scheduling": entities.SchedulingTags,
    "oversize": resource_pool.OversizePolicy, "resource_pool_store": resource_pool.StoreConfig,
}
print(json.dumps({
    "version": metadata.version("total-perspective-vortex"),
    "keys": {name: fields(model) for name, model in models.items()},
    "helpers": functions(helpers),
    "methods": {"entity": attributes(entities.Entity), "destination": attributes(entities.Destination), "tags": attributes(entities.SchedulingTags)},
    "mapper": sorted(inspect.signature(mapper.EntityToDestinationMapper.map_to_destination).parameters),
    "requirements": sorted(resource_requirements.VALID_RESOURCE_TYPES),
    "phases": [phase.value for phase in explain.ExplainPhase],
    "options": options(),
}, indent=1))
