"""A small part of answered cases, for those who have no TPV: python3 keep.py OUT BYTES ANSWERED...

Takes configurations from the front of each answered folder, small ones only, until OUT has about BYTES for each folder;
one trace for each. Cases whose ids are on standard input are left out.
"""

import json
import os
import shutil
import sys

out, budget, folders = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
left_out = set(sys.stdin.read().split())
shutil.rmtree(out, ignore_errors=True)
os.makedirs(f"{out}/fixtures")


def lines(path):
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return [json.loads(line) for line in file]


def keep_file(name, text):
    with open(f"{out}/fixtures/{name}", "w") as file:
        file.write(text)
    return len(text)


with open(f"{out}/cases.jsonl", "w") as cases, open(f"{out}/traces.jsonl", "w") as traces:
    for number, folder in enumerate(folders):
        told = {one["id"]: one["trace"] for one in lines(f"{folder}/traces.jsonl")}
        used, kept, kinds = 0, {}, {}
        for one in lines(f"{folder}/cases.jsonl"):
            if one["id"] in left_out or used > budget:
                continue
            kind = one["expect"].get("load_error") or one["expect"].get("error") or (one.get("argv") or ["", "ok"])[1]
            # Of each way to fail, a few are enough.
            if kind not in ("ok", "lint", "format", "dump", "dry-run") and kinds.get(kind, 0) >= 6:
                continue
            if one["kind"] == "map":
                key = json.dumps(one["configs"])
                if len(key) > 3_000:
                    continue
                if key not in kept:
                    kept[key] = [f"{number}-{len(kept)}-{index}.yml" for index in range(len(one["configs"]))]
                    used += sum(keep_file(name, config["yaml"]) for name, config in zip(kept[key], one["configs"]))
                    if one["id"] in told:
                        used += traces.write(json.dumps({"id": one["id"], "trace": told[one["id"]]}) + "\n")
                one["configs"] = kept[key]
            else:
                names = [word for word in one["argv"] if word.endswith(".yml")]
                sizes = [os.path.getsize(f"{folder}/fixtures/{name}") for name in names]
                if sum(sizes) > 2_500:
                    continue
                for name in names:
                    with open(f"{folder}/fixtures/{name}") as file:
                        text = file.read()
                    used += keep_file(name, text) if name not in kept else 0
                    kept[name] = True
            kinds[kind] = kinds.get(kind, 0) + 1
            used += cases.write(json.dumps(one) + "\n")
