"""The JSON Schema (draft 2020-12) of scenario files, for editors that complete and check YAML.

It is made from the models that the loader checks with. The loader has the last word: the values that a part may
override depend on its model, which a schema cannot look up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from simio.description.faults import fault_kinds
from simio.description.model import Report, Run
from simio.description.quantities import quantity_of
from simio.description.sheets import sheet_kinds
from simio.description.workloads import REFERRED, references, yaml_key
from simio.loading.catalogue import Catalogue, catalogue, data_root
from simio.loading.datasheet import HOST_OPTIONAL, HOST_PARTS
from simio.loading.devices import MOST_DISKS
from simio.loading.links import LinkKeys
from simio.loading.scenario import KEYS
from simio.loading.tables import table_names
from simio.loading.vary import SECTIONS
from simio.loading.volumes import OF, PARTS, VolumeKeys
from simio.plugins import load_plugins
from simio.workloads import workload_kinds

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_NAME = {"pattern": "^[A-Za-z_][A-Za-z0-9_-]*$"}
_SCALAR = {"type": ["string", "number", "boolean", "null"]}
_ABOUT = {
    "title": "one line that says what is asked",
    "about": "what the scenario reproduces or explores",
    "hosts": "computers by name",
    "disks": "disks, or groups of like disks, by name",
    "volumes": "several disks as one, by name",
    "switches": "switches by name",
    "links": "cables between adapters, switches and disks",
    "workload": "application programs by name; the name is the kind unless kind says otherwise",
    "faults": "what goes wrong in the system while it runs",
    "run": "how long and how often to run",
    "report": "how to show results",
    "vary": "key paths with the values each takes, all combinations; or a list of such mappings",
    "measured": "table of measurements to compare with, as study/table, or a list of them",
}


def scenario_schema(parts: Catalogue | None = None) -> Schema:
    """The schema of scenario files with the kinds that are registered and the models of the catalogue."""
    load_plugins()
    known = parts or catalogue()
    sections: dict[str, Schema] = {
        "title": {"type": "string", "minLength": 1},
        "about": {"type": "string"},
        "hosts": {**_named(_host(known)), "minProperties": 1},
        "disks": _named(_part(known, "disk", {"count": _count()})),
        "volumes": _named(_volume(known)),
        "switches": _named(_switch(known)),
        "links": {"type": "array", "items": _link(known)},
        "workload": {**_workloads(), "minProperties": 1},
        "faults": {"type": "array", "items": {"anyOf": _faults()}},
        "run": _object(_properties(Run)),
        "report": _object(_properties(Report)),
        "vary": _vary(),
        "measured": _one_or_more(_tables()),
    }
    return {
        "$schema": DIALECT,
        "title": "simio scenario",
        "type": "object",
        "properties": {key: {**sections[key], "description": _ABOUT[key]} for key in KEYS},
        "required": ["title", "hosts", "workload"],
        "additionalProperties": False,
    }


def _object(properties: Mapping[str, Schema], required: list[str] | None = None) -> Schema:
    schema: Schema = {"type": "object", "properties": dict(properties), "additionalProperties": False}
    return {**schema, "required": required} if required else schema


def _named(item: Schema) -> Schema:
    return {"type": "object", "propertyNames": _NAME, "additionalProperties": item}


def _one_or_more(item: Schema) -> Schema:
    return {"anyOf": [item, {"type": "array", "items": item}]}


def _properties(model: type[BaseModel]) -> dict[str, Schema]:
    """The properties of a model, without the titles pydantic adds and with definitions written out."""
    made = model.model_json_schema(by_alias=True)
    properties = {}
    for name, field in model.model_fields.items():
        key = field.alias or name
        schema = _inlined(made["properties"][key], made.get("$defs", {}))
        quantity = quantity_of(field)
        if quantity and "description" in schema:
            schema["description"] += f" ({quantity.wanted})"
        # Defaults are in simio's own units, which a file cannot use.
        if quantity:
            schema.pop("default", None)
        properties[key] = schema
    return properties


def _inlined(schema: Any, definitions: Mapping[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_inlined(item, definitions) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        return {**_inlined(definitions[schema["$ref"].rpartition("/")[2]], definitions), **rest}
    properties = schema.get("properties", {})
    plain = {key: _inlined(value, definitions) for key, value in schema.items() if key not in ("title", "properties")}
    if properties:
        plain["properties"] = {key: _inlined(value, definitions) for key, value in properties.items()}
    return plain


def _model(known: Catalogue, category: str) -> Schema:
    return {
        "description": f"a {category} of the catalogue, or a file beside the scenario as './my-{category}.yaml'",
        "anyOf": [{"enum": known.names(category)}, {"type": "string", "pattern": r"^(\./|\.\./|/)"}],
    }


def _overrides(category: str) -> dict[str, Schema]:
    """The values of all kinds of a category; the model of a part decides which of them it has."""
    schemas: dict[str, list[Schema]] = {}
    for model in sheet_kinds(category).values():
        for key, schema in _properties(model).items():
            if schema not in schemas.setdefault(key, []):
                schemas[key].append(schema)
    return {key: schemas[key][0] if len(schemas[key]) == 1 else {"anyOf": schemas[key]} for key in sorted(schemas)}


def _part(known: Catalogue, category: str, more: Mapping[str, Schema], *, required: bool = True) -> Schema:
    model = _model(known, category)
    mapping = _object({"model": model, **more, **_overrides(category)}, ["model"] if required else None)
    return {"anyOf": [model, mapping]}


def _count() -> Schema:
    return {
        "type": "integer",
        "minimum": 1,
        "maximum": MOST_DISKS,
        "description": "number of like disks; above 1 they are numbered: d1, d2 ...",
    }


def _host(known: Catalogue) -> Schema:
    bus = {"bus": {"type": "string", "description": "bus of the host that the adapter sits on"}}
    groups = {
        "buses": _named(_part(known, "bus", {}, required=False)),
        "adapters": _named(_part(known, "adapter", bus, required=False)),
    }
    single = {category: _part(known, category, {}, required=False) for category in (*HOST_PARTS, *HOST_OPTIONAL)}
    return _model_or_like(known, "host", {**single, **groups})


def _switch(known: Catalogue) -> Schema:
    return _model_or_like(known, "switch", {})


def _model_or_like(known: Catalogue, category: str, more: Mapping[str, Schema]) -> Schema:
    told = f"another {category} that this one resembles, but for the keys that follow"
    like = {"type": "string", "description": told}
    model = _model(known, category)
    mapping = _object({"model": model, "like": like, **_overrides(category), **more})
    return {"anyOf": [model, {**mapping, "oneOf": [{"required": ["model"]}, {"required": ["like"]}]}]}


def _volume(known: Catalogue) -> Schema:
    members = {**_one_or_more({"type": "string"}), "description": OF}
    parts = {key: _part(known, category, {}) for key, category in PARTS.items()}
    return _object({**_properties(VolumeKeys), "of": members, **parts}, ["kind", "of"])


def _link(known: Catalogue) -> Schema:
    return _object(
        {"model": _model(known, "link"), **_properties(LinkKeys), **_overrides("link")}, ["model", "between"]
    )


def _workloads() -> Schema:
    """Workloads by name: one named like a kind has its parameters, any other says its kind."""
    kinds = workload_kinds()
    named, free = {}, []
    for kind, model in kinds.items():
        properties = _properties(model)
        for field, what in references(model).items():
            properties[yaml_key(model, field)]["description"] += f" (name of {REFERRED[what]})"
        # `vary` may supply any key, so none is required here.
        own = _object({"kind": {"const": kind, "description": (model.__doc__ or "").strip()}, **properties})
        named[kind] = own
        free.append({**own, "required": ["kind"]})
    keyed = {kind: {"anyOf": [own, *(other for other in free if other is not free[index])]}
             for index, (kind, own) in enumerate(named.items())}  # fmt: skip
    return {
        "type": "object",
        "propertyNames": _NAME,
        "properties": keyed,
        "additionalProperties": {"anyOf": free},
    }


def _faults() -> list[Schema]:
    """A fault of each kind."""
    name = {"type": "string", "description": "name for messages; fault1, fault2 ... where it is left out"}
    return [
        _object(
            {"name": name, "kind": {"const": kind, "description": (model.__doc__ or "").strip()}}
            | _properties(model),
            ["kind"],
        )
        for kind, model in fault_kinds().items()
    ]


def _vary() -> Schema:
    sections = "|".join(SECTIONS)
    values = {"anyOf": [_SCALAR, {"type": "array", "items": _SCALAR, "minItems": 1}]}
    grid = {
        "type": "object",
        "patternProperties": {rf"^({sections})\.[^.]+": values},
        "additionalProperties": False,
    }
    return _one_or_more(grid)


def _tables() -> Schema:
    known = table_names(data_root("simio.validation"))
    return {"anyOf": [{"enum": known}, {"type": "string", "pattern": r"^(\./|\.\./|/)"}]}
