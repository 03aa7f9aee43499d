"""Rule files and jobs that nobody wrote, to be answered by oracle/record.py.

    python3 generate.py SEED COUNT [FOLDER] > cases
"""

import json
import random
import sys

from emit import Raw, emit

rnd = random.Random(int(sys.argv[1]))
COUNT = int(sys.argv[2])
FILES = sys.argv[3] if len(sys.argv) > 3 else None
"""With a folder, files are written there, and the cases are commands on them."""

TOOL_KEYS = (
    "default bwa bwa.* b.* .* hisat2? kraken2 (bwa|hisat) toolshed.g2.bx.psu.edu/repos/iuc/.* ^bwa$ bwa[0-9]* "
    "a/b/1.0+galaxy1 a/b/.* tool_x [a-k].* _default_ my-tool"
).split()
TOOL_IDS = (
    "bwa bwa2 hisat hisat2 kraken2 unknown default a/b/1.0+galaxy1 toolshed.g2.bx.psu.edu/repos/iuc/quast/quast/5.2.0 "
    "toolshed.g2.bx.psu.edu/repos/devteam/x/x/1.0+galaxy0 _default_ my-tool2"
).split()
USER_KEYS = "default .*@vortex.org alice@vortex.org a.* bob@example.org".split()
ROLE_KEYS = "default training.* admin tr.* .*".split()
DESTINATIONS = "default local slurm k8s pulsar big small".split()
TAGS = "a b c d e pulsar general offline high-mem tool_type_default".split()
RULE_IDS = "r1 r2 r3 limit".split()
VARIABLES = "v1 v2 v3 site".split()

AMOUNTS = [
    1, 2, 4, 8, 16, 0, 1.5, 3.8, 7.6, 2.0, 8.0, "cores * 2", "cores * 3.8", "cores * 4", "mem", "input_size",
    "input_size * 2 + 1", "min(max(input_size, 1), 8)", "v1", "v2 * 2", "gpus or 0", "int(input_size)", "0",
    "1 / 0", "nothing", "max_cores", "min_mem", "entity.cores", "len(tool.id)", "helpers.input_size(job)",
    "cores if input_size > 3 else 1", "round(input_size, 1)", "2 if user else 1", "cores // 2", "cores ** 2", "-1",
    "x = 3\nx * 2", "import math\nmath.ceil(input_size / 3)", "max(cores, 3) * 1.9", "[1, 2]", "''",
]
RAW = (
    "yes no on off true False ~ null Null 010 0x10 0o17 1_000 1e3 1.50 .5 +1 1. 24:00:00 2024-01-01 .inf -.inf .nan "
    "y n 0b11 12:30 0.1e1 1e-7 1E5 08 0o8 '' \"\" 1,000 "
    "1_ _1 0x 0xFFFF_FFFF NULL TRUE nan inf .NaN 1e+16 100000000000000000000.0 -1.0 0.30000000000000004"
).split()
SOUND_AMOUNTS = [amount for amount in AMOUNTS if amount not in ("''", "nothing", "1 / 0", "[1, 2]")]
CONDITIONS = [
    True, False, "True", "False", "input_size > 5", "input_size >= 1 and input_size < 20", "v1 == 1", "v2", "tool.id.startswith('b')",
    "user and 'vortex' in user.email", "user.email.startswith('a')", "entity.cores == 2", "entity.mem", "cores > 1",
    "any(r.name.startswith('training') and not r.deleted for r in user.all_roles())",
    "helpers.tag_values_match(entity, ['a'], ['b'])", "helpers.tag_values_match(entity, match_tag_values=['pulsar'])",
    "'gpus' in locals()", "entity.tpv_tags.require", "entity.params.get('p')", "nothing > 1", "x ==", "0", "1", "'a'", "None",
    "self.cores", "entity.id == 'default'", "job.id", "job.state == 'resubmitted'", "len(mapper.pools) > 1", "[p.oversize.max_concurrent for p in mapper.pools.values()]", "len(entity.rules) > 1", "entity.abstract", "mapper.default_inherits",
    "from tpv.core.entities import TagType\nany(t.value == 'a' for t in entity.tpv_tags.filter(TagType.REQUIRE))",
    "list(entity.tpv_tags.all_tag_values())", "str(entity.tpv_tags) == ''", "site", "v3 and v3[0]", "isinstance(v1, int)",
    "tool.version", "user is None", "1 < input_size < 9", "helpers.tool_version_gte(tool, '1.0')",
    "helpers.job_args_match(job, app, {'x': 1})", "helpers.concurrent_job_count_for_tool(app, tool, user) > 1", "helpers.concurrent_job_count_for_tool(app, tool)", "job.get_param_values(app)['x']", "'mapper' in globals()",
    "hasattr(entity, 'runner')", "hasattr(user, 'email')",
]
EXECUTES = [
    "pass", "entity.cores = 5", "entity.max_concurrent_cores = 4", "entity.max_concurrent_mem = None", "entity.mem = entity.cores * 2", "entity.params['k'] = 'v'", "entity.params.pop('p', None)",
    "entity.params['q'] = '{cores}'", "del entity.params['p']", "entity.cores = None", "entity.env.append({'name': 'E', 'value': '{cores}'})",
    "entity.env = []", "entity = None", "v1 = 3", "entity.context['v1'] = 7", "entity.gpus = entity.gpus or 2", "entity.rules = {}",
    "from tpv.core.entities import TagType\nentity.tpv_tags.add_tag_override(TagType.REQUIRE, 'b')",
    "from tpv.core.entities import SchedulingTags\nentity.tpv_tags = SchedulingTags(require=['a'])",
    "from tpv.core.entities import TryNextDestinationOrFail\nraise TryNextDestinationOrFail('full')",
    "from tpv.core.entities import TryNextDestinationOrWait\nraise TryNextDestinationOrWait('later')",
    "from galaxy.jobs.mapper import JobMappingException\nraise JobMappingException('no')",
    "from galaxy.jobs.mapper import JobNotReadyException\nraise JobNotReadyException()",
    "from galaxy.jobs.mapper import JobNotReadyException\nraise JobNotReadyException(message='wait')",
    "raise ValueError('bad')", "entity.tpv_tags.require.append('c')", "entity.max_cores = 3", "entity.cores += 1", "1 +",
    "entity.dest_name = 'renamed'", "entity.runner = 'other'", "if input_size > 2:\n    entity.cores = 9\nelse:\n    entity.mem = 1.5",
    "entity.tpv_tags.reject = None", "entity.params = {'only': 'this'}", "entity.context = {'v2': 8}", "v3.append(1)",
    "for k in list(entity.params):\n    entity.params[k] = str(entity.params[k]) + '!'", "entity.id = 'new'", "entity.new_thing = 4",
    "entity.max_accepted_cores = 1", "entity.resubmit = {}", "entity.rank = 'candidate_destinations[:1]'", "entity.cores = 'cores'",
    "entity.mem = 'cores * 2'", "entity.abstract = True", "self.params['s'] = 'self'",
]
FAILS = ["too big: {input_size}", "", "no {nothing}", "first\nsecond\n", "it's {tool.id}", "{{x}}", "plain", "{1", "{entity.id}", "quoted 'x'"]
TEXTS = [
    "{cores}", "{mem}", "{cores * 2}", "{v1}", "{mem / cores}", "plain", "", "a b", "${{HOME}}", "a\\tb", "\\d+", "{int(mem * 1024)}", "{gpus}",
    "{tool.id}", "{user.email if user else 'nobody'}", "{input_size}", "{entity.id}", "x{cores!r:>4}y", "{cores:03d}", "{mem:.2f}", "it''s",
    "{{", "}", "{nothing}", "{v3}", "{site}", "--mem {mem} --cores {cores}", "line one\nline two", "line one\n", "\n", "é ü 漢", "tab\there", "'x'",
    "\"x\"", "{', '.join(str(x) for x in [1, 2])}", "{env}", "{params}", "{self.id}", "{entity.cores}", "{entity.tpv_tags}", "{job.id}", "#no", "a: b",
    "- x", "{entity.params.get('p', 1)}", "{v1 + 1}", "{v1:>3}", "{max_cores}", "{cores=}", "{helpers.input_size(job)}", "{str(entity.params)}",
    "{entity.context}", "{resubmit}", "{type(mem).__name__}", "{mapper.default_inherits}", "{list(mapper.destinations)}", "true", "5", "\\", "x\\",
]
RANKS = [
    "candidate_destinations", "sorted(candidate_destinations, key=lambda d: d.id)", "helpers.weighted_random_sampling(candidate_destinations)",
    "candidate_destinations[:1]", "[]", "[d for d in candidate_destinations if d.id != 'local']",
    "candidate_destinations.sort(key=lambda d: d.score(entity))\ncandidate_destinations", "list(reversed(candidate_destinations))",
    "sorted(candidate_destinations, key=lambda d: d.max_accepted_cores or 0)", "candidate_destinations * 2",
    "import random\nrandom.sample(candidate_destinations, 1) if candidate_destinations else []", "sorted(candidate_destinations, key=lambda d: -cores)",
    "[d for d in candidate_destinations if helpers.tag_values_match(d, ['a'])]", "nothing",
    "final = []\nfor d in candidate_destinations:\n    if d.tpv_dest_tags.require:\n        final.append(d)\nfinal or candidate_destinations",
]


def chance(percent):
    return rnd.random() * 100 < percent


WILD = [False]
"""Whether what is made now may be wrong: most files load, so that something is left to be compared."""


def mishap(percent):
    return WILD[0] and chance(percent)


def odd():
    return rnd.choice([None, [], {}, [1], {"x": 1}, Raw("2024-01-01"), True, "text", 5, 1.5, Raw("yes"), [None], "", Raw("~")])


def value(depth=0):
    roll = rnd.random()
    if roll < 0.45:
        return scalar_text()
    if roll < 0.7:
        return Raw(rnd.choice(RAW))
    if roll < 0.85 or depth > 2:
        return rnd.choice([1, 2, 1.5, 2.0, True, False, None, "x", 0])
    if roll < 0.93:
        return [value(depth + 1) for _ in range(rnd.randrange(4))]
    return {rnd.choice("a b c d 1x k-1".split()): value(depth + 1) for _ in range(rnd.randrange(3))}


BROKEN = ("}", "'x'", "\\", "x\\", "it''s")
SOUND = [text for text in TEXTS if text not in BROKEN]


def scalar_text():
    return rnd.choice(TEXTS if WILD[0] else SOUND)


def amount():
    return Raw(rnd.choice(RAW)) if mishap(20) else rnd.choice(AMOUNTS[:19] if chance(85) else SOUND_AMOUNTS if not WILD[0] else AMOUNTS)


def tags():
    names = rnd.sample(TAGS, rnd.randrange(5))
    made = {}
    for name in names:
        made.setdefault(rnd.choice(["require", "prefer", "accept", "reject", "prefer", "accept"]), []).append(name)
    if chance(3):
        made[rnd.choice(["require", "prefer", "accept", "reject"])] = rnd.choice([None, [], ["zz"]])
    if mishap(4):
        made[rnd.choice(["require", "prefer", "accept", "reject"])] = rnd.choice([["a", "a"], "a", [1], ["b"]])
    return made


def env():
    if chance(55):
        return {rnd.choice(["A", "B", "C", "D"]): value(3) for _ in range(rnd.randrange(4))}
    entries = []
    for _ in range(rnd.randrange(4)):
        entries.append(rnd.choice([
            {"name": rnd.choice("ABCD"), "value": scalar_text()}, {"execute": scalar_text()}, {"file": "/etc/{v1}"},
            {"name": "{site}", "value": "x"},
        ]))
    return entries


def params():
    return {rnd.choice(["p", "q", "native", "docker_volumes", "k", "1", "n.m"]): value() for _ in range(rnd.randrange(4))}


def resubmit():
    handlers = {}
    for _ in range(rnd.randrange(3)):
        handlers[rnd.choice(["oom", "time"])] = {
            key: rnd.choice([scalar_text(), 5, 1.5, None, True, "memory_limit_reached"])
            for key in rnd.sample(["condition", "destination", "delay", "environment", "n"], rnd.randrange(4))
        }
    return handlers


def context():
    return {rnd.choice(VARIABLES): rnd.choice([1, 2, 0, "text", [1, 2], [], {"a": 1}, None, True, 1.5, Raw("010"), "{cores}"]) for _ in range(rnd.randrange(1, 4))}


def common(entity, full):
    for name in ("cores", "mem", "gpus"):
        if chance(40):
            entity[name] = amount()
    for name in ("min_cores", "max_cores", "min_mem", "max_mem", "min_gpus", "max_gpus"):
        if chance(8):
            entity[name] = amount()
    for name in CONCURRENT:
        if chance(4):
            entity[name] = bound()
    if chance(30):
        entity["env"] = env()
    if chance(40):
        entity["params"] = params()
    if chance(12):
        entity["resubmit"] = resubmit()
    if chance(25):
        entity["context"] = context()
    if chance(45):
        entity["scheduling"] = tags()
    if full and chance(10):
        entity["rank"] = rnd.choice(RANKS)


CONCURRENT = ("max_concurrent_cores", "max_concurrent_mem", "max_concurrent_gpus")


def bound():
    return rnd.choice([0, 1, 2, 4, 8, 16, 64, 7.6, 2.5, None, "15", "1.5", True, *([Raw(".inf"), "x", [1]] if WILD[0] else [])])


def pool(ids, before):
    """A resource pool; only pools have an `oversize` and a `fail_open`."""
    made = {}
    if chance(25) and (before or WILD[0]):
        made["inherits"] = rnd.choice(before) if before and not mishap(30) else rnd.choice(ids + ["missing"])
    if chance(12):
        made["abstract"] = True
    for name in CONCURRENT:
        if chance(45):
            made[name] = bound()
    if chance(50):
        kinds = ["require", "reject", "reject"] + (["prefer", "accept"] if WILD[0] else [])
        made["scheduling"] = {rnd.choice(kinds): rnd.sample(TAGS, rnd.randrange(3)) for _ in range(rnd.randrange(3))}
    if chance(45):
        fields = {
            "max_concurrent": [0, 1, 2, "3", 2.0, True], "hard_max_cores": [4, 16, 64.5, None, "32"], "hard_max_mem": [8, 100, 7.5, None],
            "hard_max_gpus": [0, 1, 4], "reserve_pool": [True, False, "yes", 0, Raw("on")],
        }
        made["oversize"] = {name: rnd.choice(fields[name]) for name in rnd.sample(sorted(fields), rnd.randrange(5))}
        if mishap(15):
            made["oversize"] = odd()
        if mishap(10) and isinstance(made["oversize"], dict):
            made["oversize"][rnd.choice(["max_jobs", "max_concurrent", "reserve_pool"])] = odd()
    if chance(20):
        made["fail_open"] = rnd.choice([True, False, "yes", 0, Raw("off")])
    if chance(5):
        common(made, False)
    if mishap(10):
        made[rnd.choice(list(made) or ["fail_open"])] = odd()
    if chance(2):
        made[rnd.choice(["unknown", "runner"])] = odd()
    return made


def pools(made):
    """Some pools, and most often the store that they need."""
    ids = rnd.sample(["default", "udt", "gpu", "all"], rnd.randrange(1, 4))
    found = {}
    for one in ids:
        found[one] = pool(ids, list(found))
    made["pools"] = found
    if chance(90) and isinstance(made.setdefault("global", {}), dict):
        made["global"]["resource_pool_store"] = rnd.choice([
            {"class": "tpv.core.resource_pool.InMemoryAllocationStore"}, {}, {"url": "valkey://localhost/0", "class": "x.y"},
            *([None, odd()] if WILD[0] else []),
        ])


def rule(given_id):
    made = {}
    if given_id is not None:
        made["id"] = given_id
    if not mishap(3):
        made["if"] = rnd.choice(CONDITIONS[:10] if chance(50) else CONDITIONS)
    roll = rnd.random()
    if roll < 0.3:
        made["execute"] = rnd.choice(EXECUTES)
    elif roll < 0.4:
        made["fail"] = rnd.choice(FAILS)
    if roll > 0.25:
        small = {}
        common(small, full=chance(20))
        for key in rnd.sample(sorted(small), min(len(small), 3)):
            made[key] = small[key]
    return made


def rules():
    count = rnd.randrange(1, 4)
    if chance(60):
        return [rule(rnd.choice(RULE_IDS) if chance(70) else None) for _ in range(count)]
    return {rnd.choice(RULE_IDS): rule(rnd.choice(RULE_IDS) if chance(30) else None) for _ in range(count)}


def entity(ids, before, kind):
    made = {}
    if chance(30) and (before or WILD[0]):
        made["inherits"] = rnd.choice(before) if before and not mishap(30) else rnd.choice(ids + ["missing"])
    if chance(8):
        made["abstract"] = rnd.choice([True, True, False, Raw("yes"), "on", 1, 0])
    common(made, True)
    if kind == "destinations":
        if not chance(6):
            made["runner"] = rnd.choice(["slurm", "k8s", "local"])
        for name in ("max_accepted_cores", "max_accepted_mem", "max_accepted_gpus", "min_accepted_cores", "min_accepted_mem", "min_accepted_gpus"):
            if chance(12):
                made[name] = rnd.choice([0, 1, 2, 8, 16, 64, 2.5, "15", "1.5", None, "x", Raw("1_0"), True] if mishap(30) else [2, 8, 16, 64, 7.6, 1, 0])
        if chance(12):
            made["destination_name_override"] = rnd.choice(["d-{cores}", "x", "{nothing}", "", "{mem}-{gpus}", None, "{entity.id}"])
        if chance(12):
            made["tags"] = rnd.choice([["h1"], ["{cores}", "h"], [], ["{dest_name}"], ["{resubmit}"]])
        for name in ("cores", "mem", "gpus"):
            if chance(80):
                made.pop(name, None)
    if chance(35 if kind != "destinations" else 25):
        made["rules"] = rules()
    if mishap(10):
        made[rnd.choice(list(made) or ["cores"])] = odd()
    if chance(2):
        made[rnd.choice(["unknown", "match"])] = odd()
    if mishap(3):
        made[rnd.choice(["id", "runner", "if"])] = odd()
    items = list(made.items())
    rnd.shuffle(items)
    return dict(items)


def config(index):
    made = {}
    if chance(75):
        given = {}
        if chance(80):
            given["default_inherits"] = "default" if not chance(5) else rnd.choice(["nope", "local", "bwa", None, ""])
        if chance(50):
            given["context"] = context()
        if mishap(6):
            given[rnd.choice(["context", "default_inherits", "other"])] = odd()
        made["global"] = given
    for name, keys, most in (("tools", TOOL_KEYS, 5), ("users", USER_KEYS, 3), ("roles", ROLE_KEYS, 3), ("destinations", DESTINATIONS, 5)):
        count = rnd.randrange(most + 1) if index or name != "destinations" else rnd.randrange(1, most + 1)
        if name in ("users", "roles") and chance(45):
            continue
        ids = rnd.sample(keys, min(count, len(keys)))
        made[name] = {key: entity(ids, ids[:at], name) for at, key in enumerate(ids)}
    if index == 0 and chance(75):
        ground = {"cores": rnd.choice([1, 2, 4]), "mem": rnd.choice([4, "cores * 3.8", 7.5]), "context": {"v1": 1, "v2": 2.5, "v3": ["x"], "site": "s"}}
        made["tools"] = {"default": {**ground, **made.get("tools", {}).get("default", {})}, **made.get("tools", {})}
        made["tools"]["default"] = {**ground, **made["tools"]["default"]}
        made.setdefault("global", {})
        if isinstance(made["global"], dict):
            made["global"].setdefault("default_inherits", "default")
            made["tools"]["default"]["abstract"] = chance(50) or made["tools"]["default"].get("abstract", False)
    if mishap(8) and "tools" in made:
        made["tools"][rnd.choice(["bwa[", "*x", "x{2,1}", "(?P<n>b)wa", "(?i)BWA", "\\d", "a|", "bw.{1,2}"])] = {"cores": 1, "mem": 1}
    if chance(35):
        pools(made)
    if mishap(4):
        made[rnd.choice(["tools", "users", "extra", "global"])] = odd()
    return made


def job():
    size = lambda: rnd.choice([0, 1 << 30, 3 << 30, 6 << 30, 12345678901, 42 << 30])
    inputs = [{"name": f"input{i}", "size_bytes": size(), "ext": rnd.choice(["txt", "fastq.gz"])} for i in range(rnd.randrange(3))]
    if len(inputs) > 1 and chance(20):
        for one in inputs:
            one["dataset"] = 7
    tool = {"id": rnd.choice(TOOL_IDS), "version": rnd.choice([None, "1.0", "2.1+galaxy0"]), "tool_type": rnd.choice(["default"] * 8 + ["interactive", "user_defined"])}
    if chance(6):
        tool["resource_requirements"] = [
            {"type": rnd.choice(["cores_min", "cores_max", "ram_min", "ram_max", "cuda_device_count_min", "tmpdir_min"]), "value": rnd.choice(["2", "1.5", 4, "$(x)", 8])}
            for _ in range(2)
        ]
    if chance(3):
        tool["dynamic_tool_uuid"] = "uuid-1"
    user = None if chance(15) else {"username": "u", "email": rnd.choice(["alice@vortex.org", "bob@example.org", "carol@vortex.org"]), "id": 7}
    roles = [] if user is None else [{"name": rnd.choice(["training-1", "admin", "other"]), "deleted": chance(15)} for _ in range(rnd.randrange(3))]
    params = {} if chance(60) else {"x": rnd.choice([1, "1", None, {"y": 1}]), "list": [1, 2]}
    others = [
        {"tool_id": rnd.choice(TOOL_IDS), "state": rnd.choice(["queued", "running"]), "destination_id": "slurm", "user_id": rnd.choice([7, 8])}
        for _ in range(rnd.randrange(5) if chance(30) else 0)
    ]
    running = {"running_jobs": others} if others else {}
    return {**running, "tool": tool, "user": user, "roles": roles, "job": {"inputs": inputs, "param_values": params, "id": 4242, "history_tags": ["t1"] if chance(10) else [], "state": "resubmitted" if chance(10) else "new"}}


def commands(names):
    yield ["lint", *names]
    yield ["-v", "lint", *names]
    yield ["format", names[0]]
    yield ["dump", *names]
    yield ["dump", "--output-format", "yaml", *names]
    job_words = ["--job-conf", "job_conf.yml", "--tool", rnd.choice(TOOL_IDS)]
    if chance(60):
        job_words += ["--user", "alice@vortex.org"]
    if chance(40):
        job_words = ["--roles", "training-1", "other", *job_words]
    if chance(60):
        job_words += ["--input-size", str(rnd.randrange(20))]
    yield ["dry-run", *job_words, *names] if chance(30) else [
        "dry-run", *job_words, "--explain", *(["--output-format", "yaml"] if chance(50) else []), *names,
    ]


for number in range(COUNT):
    WILD[0] = chance(20)
    files = [{"yaml": emit(config(index), rnd)} for index in range(rnd.choice([1, 1, 1, 2, 3]))]
    if FILES is None:
        for turn in range(4):
            one = {"id": f"fuzz/{sys.argv[1]}/{number}.{turn}", "kind": "map", "configs": files, **job(), "rng": "first", "env": "prod"}
            print(json.dumps(one))
        continue
    names = [f"fuzz-{sys.argv[1]}-{number}-{index}.yml" for index in range(len(files))]
    for name, file in zip(names, files):
        with open(f"{FILES}/{name}", "w") as out:
            out.write(file["yaml"])
    with open(f"{FILES}/job_conf.yml", "w") as out:
        out.write("execution:\n  environments:\n    tpv_dispatcher:\n      runner: dynamic\n")
    for turn, words in enumerate(commands(names)):
        print(json.dumps({"id": f"command/{sys.argv[1]}/{number}.{turn}", "kind": "cli", "argv": ["tpv", *words]}))
