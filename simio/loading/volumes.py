"""Volumes of a scenario: their members, which are disks and other volumes, and their file systems."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from simio.description.caches import CacheOptions
from simio.description.model import LEAST_MEMBERS, Part, Volume
from simio.description.quantities import Flag, Limit, OptionalCount
from simio.description.sheets.base import size_text
from simio.errors import Place, quote
from simio.loading.context import Context
from simio.loading.devices import DiskGroup
from simio.loading.keypaths import as_mapping, mapping
from simio.loading.parts import build_part
from simio.loading.problems import a, join, keys_of, place_of
from simio.loading.yamltree import Node

MOST_LEVELS = 8
LEAST = {**LEAST_MEMBERS, "raid10": 4}
"""`LEAST_MEMBERS` with the stripe over mirrors, which becomes several volumes."""
Kind = Literal[
    "stripe", "concat", "mirror", "raid3", "raid5", "raid6", "raid10", "erasure", "raidz1", "raidz2", "raidz3",
    "cached",
]  # fmt: skip
PARTS = {"file_system": "filesystem", "controller": "controller"}
"""Keys that name a part, and its class."""
_STRIPED = ("stripe", "raid5", "raid6", "raid10", "erasure")
_RAIDZ = ("raidz1", "raidz2", "raidz3")
RECORD, SECTOR = 131072, 4096
"""Bytes of a record of a RAIDZ (recordsize) and of its sectors (2^ashift), if a scenario gives none."""
MOST_PARITY = 16


class VolumeKeys(BaseModel):
    """The keys of a volume beside `of` and the parts."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    kind: Kind = Field(description="how data lies on the members")
    unit: Limit = Field(
        None, description="bytes on one member before the next one's turn; raid3: a sector if left out"
    )
    parity: Annotated[int, Field(ge=1, le=MOST_PARITY, strict=True)] | None = Field(
        None, description="erasure: members' worth of parity, the m of k + m"
    )
    record: Limit = Field(
        None, description="raidz: bytes that are read and written as a whole (recordsize); none: 128 KiB"
    )
    sector: Limit = Field(
        None, description="raidz: bytes that a record is made of (2^ashift); none: 4 KiB, or the members' if larger"
    )
    quorum: OptionalCount = Field(
        None, description="mirror: members that have a write before it is done, the others get it later; none: all"
    )
    nearest: Flag = Field(
        False, description="mirror: whether its first member, as the nearest, serves all reads; false: all in turn"
    )
    cache: CacheOptions | None = Field(None, description="cached: the cache, which the second member has")


OF = "disks, groups of disks or other volumes that it is made of, one or a list"


class _Written(NamedTuple):
    """A volume as written; `of` holds the nodes of the names in it."""

    name: str
    place: Place
    keys: VolumeKeys
    of: list[Node]
    node: Node
    parts: Mapping[str, Part | None]

    @property
    def path(self) -> str:
        return f"volumes.{self.name}"


def build_volumes(ctx: Context, section: Node, groups: Mapping[str, DiskGroup]) -> dict[str, Volume | None]:
    """The volumes by name; None stands for one with a problem."""
    written = ctx.items(section, "volumes", _written, "a mapping of volumes, such as 'v: {kind: mirror, of: d}'")
    members = _Members(ctx, written, groups)
    whole = members.check_nesting()
    volumes = {name: members.volume(item) if item and whole else None for name, item in written.items()}
    return {name: volume for each in volumes.items() for name, volume in _paired(*each)}


def _paired(name: str, volume: Volume | None) -> Iterator[tuple[str, Volume | None]]:
    """The volume itself, or of a RAID 10 the mirrors of two members each, and a stripe over them."""
    if volume is None or volume.kind != "raid10":
        yield name, volume
        return
    pairs = []
    for number in range(0, len(volume.members), 2):
        pairs.append(f"{name} pair {number // 2 + 1}")
        yield pairs[-1], Volume(pairs[-1], "mirror", volume.members[number : number + 2], None)
    yield name, replace(volume, kind="stripe", members=tuple(pairs))


def _written(ctx: Context, name: str, node: Node, place: Place) -> _Written | None:
    path = f"volumes.{name}"
    if not ctx.problems.mapping(node, path, "a mapping with kind and of"):
        return None
    before = ctx.problems.noted
    keys = keys_of(VolumeKeys)
    ctx.problems.unknown_keys(node, (*keys, "of", *PARTS), path)
    of = _names(ctx, node, path)
    parts = {key: _part(ctx, name, key, node, path) for key in PARTS if key in node.entries}
    own = mapping({key: node.entries[key] for key in keys if key in node.entries}, node.place, dict(node.key_places))
    read = ctx.problems.read(VolumeKeys, own, path, place)
    if read is None:
        return None
    if read.kind in _STRIPED and read.unit is None:
        expected = f"a size such as '64 KiB' (bytes on one member before the next one's turn), for {a(read.kind)}"
        ctx.problems.add(f"{path}.unit", "nothing", expected, "this key is required", place)
    if read.kind in ("concat", "mirror", "cached") and read.unit is not None:
        found, at = f"a unit for a {read.kind}", place_of(node, "unit")
        ctx.problems.add(f"{path}.unit", found, "none", "only stripe and the kinds of RAID interleave", at)
    _check_own(ctx, read, node, path, place)
    return _Written(name, place, read, of, node, parts) if ctx.problems.noted == before else None


def _check_own(ctx: Context, read: VolumeKeys, node: Node, path: str, place: Place) -> None:
    """Note keys of erasure and raidz at another kind, and values that do not go together."""
    if read.kind == "erasure" and read.parity is None:
        expected = "a number of parities, such as 3"
        ctx.problems.add(f"{path}.parity", "nothing", expected, "this key is required", place)
    if read.kind == "cached" and read.cache is None:
        expected = "a mapping with room at least, such as {room: 1 GiB}"
        ctx.problems.add(f"{path}.cache", "nothing", expected, "this key is required", place)
    if read.kind == "cached" and "controller" in node.entries:
        found, at = f"a controller for {a(read.kind)}", place_of(node, "controller")
        ctx.problems.add(f"{path}.controller", found, "none", "the host's software has the cache", at)
    own = {"parity": ("erasure",), "record": _RAIDZ, "sector": _RAIDZ, "quorum": ("mirror",), "nearest": ("mirror",)}
    own["cache"] = ("cached",)
    for key, kinds in own.items():
        if getattr(read, key) not in (None, False) and read.kind not in kinds:
            only = " and ".join(kinds) if len(kinds) == 1 else "raidz1 to raidz3"
            ctx.problems.add(
                f"{path}.{key}", f"{key} for {a(read.kind)}", "none", f"only {only} has it", place_of(node, key)
            )
    if read.kind not in _RAIDZ:
        return
    if read.unit is not None:
        note = "records are split evenly; record and sector say how"
        ctx.problems.add(f"{path}.unit", f"a unit for {a(read.kind)}", "none", note, place_of(node, "unit"))
    record, sector = read.record or RECORD, read.sector or SECTOR
    if record % sector:
        expected = f"a multiple of the sector, {size_text(sector)}"
        ctx.problems.add(f"{path}.record", size_text(record), expected, place=place_of(node, "record"))


def _names(ctx: Context, node: Node, path: str) -> list[Node]:
    """The nodes of the members' names; anything else is noted."""
    given = node.entries.get("of")
    what = "the name of a disk, a group of disks or a volume, or a list of them"
    if given is None:
        ctx.problems.add(f"{path}.of", "nothing", what, "this key is required", node.place)
        return []
    items = given.elements if given.kind == "list" else [given]
    if not items:
        ctx.problems.add(f"{path}.of", "an empty list", what, place=given.place)
    for index, item in enumerate(items):
        ctx.problems.text(item, f"{path}.of" if item is given else join(f"{path}.of", index), what)
    return items


def _part(ctx: Context, name: str, key: str, node: Node, path: str) -> Part | None:
    category, place = PARTS[key], place_of(node, key)
    given = as_mapping(node.entries[key], place)
    if not ctx.problems.mapping(given, f"{path}.{key}", f"the name of {a(category)} model, or a mapping with model"):
        return None
    return build_part(ctx, f"{name}.{key}", category, given, f"{path}.{key}", place)


class _Members:
    """The members of all volumes; each belongs to one volume."""

    def __init__(self, ctx: Context, written: Mapping[str, _Written | None], groups: Mapping[str, DiskGroup]) -> None:
        self.ctx = ctx
        self.written = {name: item for name, item in written.items() if item}
        self.known = [*groups, *written]
        self.groups = groups
        self.disks = {name: group for group in groups.values() for name in group.members}
        self.owners: dict[str, str] = {}
        self.faulty: set[str] = set()
        self.members = {
            name: tuple(member for node in item.of for member in self._expanded(item, node))
            for name, item in self.written.items()
        }

    def _expanded(self, item: _Written, node: Node) -> tuple[str, ...]:
        """The members that a name stands for; unknown ones and those of another volume are noted."""
        name, path = str(node.value), f"{item.path}.of"
        members = self.groups[name].members if name in self.groups else (name,)
        if not (name in self.known or name in self.disks):
            others = [other for other in self.known if other != item.name]
            self.ctx.problems.unknown(path, name, others, node.place, "disk, group of disks or volume")
            self.faulty.add(item.name)
            return ()
        for member in members:
            if member in self.owners:
                found = f"{quote(member)}, which is in the volume {quote(self.owners[member])} already"
                self.ctx.problems.add(path, found, "each disk or volume in one volume", place=node.place)
                self.faulty.add(item.name)
                return ()
            self.owners[member] = item.name
        return members

    def check_nesting(self) -> bool:
        """Note volumes that contain themselves or are nested too deeply; True if there are none."""
        order, good = list(self.written), True
        for name, item in self.written.items():
            chain = [name]
            while (owner := self.owners.get(chain[-1])) is not None and owner not in chain:
                chain.append(owner)
                if len(chain) > MOST_LEVELS:
                    break
            at, path = item.node.entries["of"].place, f"{item.path}.of"
            if len(chain) > MOST_LEVELS:
                expected = f"at most {MOST_LEVELS}"
                self.ctx.problems.add(path, f"more than {MOST_LEVELS} levels of volumes", expected, place=at)
                return False
            if owner == name:
                # Reported at one place of the circle only, whichever volume it was entered from.
                good = False
                if name == min(chain, key=order.index):
                    circle = " of ".join([name, *reversed(chain)])
                    self.ctx.problems.add(path, circle, "a volume that ends in disks", place=at)
            elif owner is not None:
                good = False
        return good

    def volume(self, item: _Written) -> Volume | None:
        """The volume, or None if it has faulty or too few members or a unit that does not fit them."""
        if item.name in self.faulty:
            return None
        members, kind = self.members[item.name], item.keys.kind
        if len(members) < LEAST[kind]:
            found = f"{len(members)} member{'s' if len(members) != 1 else ''} ({', '.join(members)})"
            place = item.node.entries["of"].place
            self.ctx.problems.add(f"{item.path}.of", found, f"at least {LEAST[kind]} for {a(kind)}", place=place)
            return None
        if kind == "cached" and len(members) > 2:
            found, place = f"{len(members)} members ({', '.join(members)})", item.node.entries["of"].place
            expected = "two: what is behind the cache, and what has it"
            self.ctx.problems.add(f"{item.path}.of", found, expected, place=place)
            return None
        if kind == "erasure" and len(members) < (item.keys.parity or 0) + 2:
            found, place = f"{len(members)} members", item.node.entries["of"].place
            expected = f"at least {(item.keys.parity or 0) + 2}, as {item.keys.parity} of them have parity"
            self.ctx.problems.add(f"{item.path}.of", found, expected, place=place)
            return None
        if (item.keys.quorum or 0) > len(members):
            place = place_of(item.node, "quorum")
            found = f"{item.keys.quorum} of {len(members)} members"
            self.ctx.problems.add(f"{item.path}.quorum", found, f"at most {len(members)}", place=place)
            return None
        if kind == "raid10" and len(members) % 2:
            place = item.node.entries["of"].place
            self.ctx.problems.add(f"{item.path}.of", f"{len(members)} members", "an even number of them", place=place)
            return None
        sectors = dict(self._sectors(item.name))
        unit = item.keys.unit
        if kind == "raid3" and unit is None:
            unit = max(sectors.values(), default=None)
        for name, sector in sectors.items():
            if unit is not None and unit % sector:
                place = item.node.at(("unit",)).place
                expected = f"a multiple of the sector of {quote(name)}, {size_text(sector)}"
                self.ctx.problems.add(f"{item.path}.unit", size_text(unit), expected, place=place)
                return None
        parts = item.parts
        made = Volume(item.name, kind, members, unit, parts.get("file_system"), parts.get("controller"))
        if kind == "mirror":
            return replace(made, quorum=item.keys.quorum, nearest=item.keys.nearest)
        if kind == "cached":
            return replace(made, cache=item.keys.cache)
        if kind in _RAIDZ:
            record, own = item.keys.record or RECORD, max(item.keys.sector or SECTOR, *sectors.values(), 0)
            return replace(made, parity=int(kind[-1]), record=record, sector=own)
        return replace(made, parity=item.keys.parity) if item.keys.parity else made

    def _sectors(self, name: str) -> Iterator[tuple[str, int]]:
        """The disks beneath a volume with their sectors, if these are known."""
        for member in self.members.get(name, ()):
            if member not in self.disks:
                yield from self._sectors(member)
            elif (part := self.disks[member].part) is not None and hasattr(part.sheet, "sector"):
                yield member, part.sheet.sector
