"""The machine of an ask: its cores, memory, GPUs and storage from words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .amounts import cores_bounds, count, memory_bounds, size

EPHEMERAL = "https://www.purl.org/ivoa-net/storage-type/ephemeral"


def put_machine(ask: dict[str, Any], words: dict[str, Any], gpu_types: Sequence[str]) -> None:
    """Changes the machine of an ask by the words `cores`, `memory`, `gpu` and `storage`.

    Raises:
        ValueError: A word cannot be meant, or the ask has several machines.
        TypeError: A word is of another kind.
    """
    if all(value is None for value in words.values()):
        return
    resources = ask.setdefault("resources", {})
    items = resources.setdefault("compute", [])
    given = ", ".join(key for key, value in words.items() if value is not None)
    if len(items) > 1:
        raise ValueError(
            f"{given}: the document has {len(items)} machines, and it is not clear which one is "
            "meant. Change resources['compute'] itself."
        )
    if not items:
        items.append({})
    item = items[0]
    for key, bounds in (("cores", cores_bounds), ("memory", memory_bounds)):
        if words[key] is not None:
            item.pop(f"min-{key}", None)
            item.pop(f"max-{key}", None)
            item.update(bounds(words[key]))
    if words["gpu"] is not None:
        item["gpu"] = _gpu(words["gpu"], gpu_types)
    if words["storage"] is not None:
        _put_storage(resources, item, words["storage"])


def needs_gpu_types(gpu: object) -> bool:
    """Is it a mere number of GPUs, for which `document` needs the site's types?"""
    if isinstance(gpu, (list, tuple)) and len(gpu) == 1:
        gpu = gpu[0]
    if isinstance(gpu, Mapping):
        return "type" not in gpu
    return gpu is not None and not isinstance(gpu, str)


def _gpu(value: object, types: Sequence[str]) -> dict[str, Any]:
    if isinstance(value, (list, tuple)):
        if len(value) != 1:
            raise ValueError(
                f"gpu: {value!r} has {len(value)} kinds. A machine has GPUs of one kind: "
                "{'type': …, 'count': …}."
            )
        value = value[0]
    if isinstance(value, str):
        return {"type": value}
    wanted = dict(value) if isinstance(value, Mapping) else {"count": value}
    if "count" in wanted:
        wanted["count"] = count(wanted["count"], "gpu")
    if "type" not in wanted:
        if len(types) != 1:
            known = f"one of {', '.join(types)}" if types else "the site's page names its types"
            raise ValueError(f"gpu: {value!r} names no type. Give {{'type': …}}: {known}.")
        wanted["type"] = types[0]
    return wanted


def _put_storage(resources: dict[str, Any], item: dict[str, Any], value: object) -> None:
    wanted = list(value) if isinstance(value, (list, tuple)) else [value]
    stored = resources.setdefault("storage", [])
    volumes = item.setdefault("volumes", [])
    for one in wanted:
        if isinstance(one, Mapping):
            place = {"type": EPHEMERAL, **one}
            if "name" not in place:
                raise ValueError(f"storage: {one!r} has no name. Add 'name', its directory.")
            if "size" in place:
                place["size"] = size(place["size"], "storage")
        else:
            place = {"name": "scratch", "type": EPHEMERAL, "size": size(one, "storage")}
        volume = {"name": place["name"], "path": place.pop("path", place["name"])}
        if "mode" in place:
            volume["mode"] = place.pop("mode")
        _replace(stored, place)
        _replace(volumes, volume)


def _replace(items: list[Any], new: dict[str, Any]) -> None:
    """Puts an item in the place of the one with its name."""
    items[:] = [old for old in items if old.get("name") != new["name"]] + [new]
