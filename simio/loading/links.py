"""Links as written: their model, their ends and their length."""

from fractions import Fraction
from typing import Annotated, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from simio.description.bonds import Bond
from simio.description.model import Part
from simio.description.quantities import Length, Text, Time
from simio.description.sheets import sheet_kinds
from simio.errors import quote
from simio.loading.context import Context
from simio.loading.keypaths import item_name, mapping
from simio.loading.parts import build_part
from simio.loading.problems import node_text, place_of
from simio.loading.yamltree import Node

RESERVED = ("name", "between", "length", "delay", "bond")


class LinkKeys(BaseModel):
    """The keys of a link beside `model` and the values of its datasheet."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    name: Text = Field("", description="name for messages and results; link1, link2 ... where it is left out")
    between: Annotated[tuple[Text, ...], Field(min_length=2)] = Field(
        description="the ends, two or on a shared link more: host.adapter, a switch, a disk or a group of disks"
    )
    length: Length = Field(Fraction(0), description="length of the cable; 0 m where it is left out")
    delay: Time | None = Field(
        None, description="one-way delay of the signal in place of the length, which follows from the propagation"
    )
    bond: Bond | None = Field(None, description="several such links as one; none: it is alone")


class LinkSpec(NamedTuple):
    """A link as written; `part` is None if it has a problem."""

    name: str
    part: Part | None
    ends: tuple[str, ...]
    length: Fraction
    node: Node
    bond: Bond | None = None

    @property
    def shared(self) -> bool:
        """True if one link joins all the ends."""
        return self.part is not None and self.part.sheet.shared


def build_links(ctx: Context, section: Node) -> list[LinkSpec]:
    """The links as written, in their order."""
    if section.kind != "list":
        ctx.problems.add(
            "links",
            node_text(section),
            "a list of links, each as '- {model: links/fc-2g, between: [server.fc, d]}'",
            place=section.place,
        )
        return []
    specs: dict[str, LinkSpec] = {}
    for index, node in enumerate(section.elements):
        name = item_name(node, index, "links")
        if name in specs:
            ctx.problems.add(f"links.{name}", quote(name), "a name that no other link has", place=node.place)

        def build(name: str = name, node: Node = node) -> LinkSpec | None:
            return _link(ctx, name, node)

        spec = ctx.once(("link", name), (node,), build)
        if spec is not None:
            specs.setdefault(name, spec)
    return list(specs.values())


def _link(ctx: Context, name: str, node: Node) -> LinkSpec | None:
    path = f"links.{name}"
    if not ctx.problems.mapping(node, path, "a mapping with model and between"):
        return None
    part = build_part(ctx, name, "link", node, path, node.place, RESERVED)
    own = mapping({k: n for k, n in node.entries.items() if k in RESERVED}, node.place, dict(node.key_places))
    keys = ctx.problems.read(LinkKeys, own, path, node.place)
    if keys is None:
        return None
    length = keys.length
    if keys.delay is not None and part is not None:
        found = _length_of(ctx, keys.delay, part, node, path)
        if found is None:
            return None
        length = found
    spec = LinkSpec(name, part, keys.between, length, node, keys.bond)
    if keys.bond and part is not None and not part.sheet.bonds:
        fitting = " or ".join(kind for kind, sheet in sheet_kinds("link").items() if sheet.bonds)
        bonded = f"a bond of links of kind {part.kind} ({part.model})"
        ctx.problems.add(f"{path}.bond", bonded, f"links of kind {fitting}", place=place_of(node, "bond"))
        return None
    if part is not None and not spec.shared and len(spec.ends) != 2:
        kinds = [kind for kind, sheet in sheet_kinds("link").items() if sheet.shared]
        hint = f"more ends go on a link of kind {' or '.join(kinds)}" if kinds else ""
        place = node.entries["between"].place
        ctx.problems.add(f"{path}.between", f"a list of {len(spec.ends)}", "a list of 2", hint, place)
        return None
    return spec


def _length_of(ctx: Context, delay: int, part: Part, node: Node, path: str) -> Fraction | None:
    """The length whose signal delay is `delay` ps, or None and a problem."""
    per_length = getattr(part.sheet, "propagation", None)
    place = place_of(node, "delay")
    if "length" in node.entries:
        hint = "the delay is that of the length, at the propagation of the link"
        ctx.problems.add(f"{path}.delay", "both length and delay", "one of them", hint, place)
        return None
    if not per_length:
        expected = "a length, since a link of this model has no signal delay by its length"
        ctx.problems.add(f"{path}.delay", "a delay", expected, place=place)
        return None
    return Fraction(delay) / per_length
