"""The tree of each case: that of the file, with the settings of the case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from simio.loading.context import Context
from simio.loading.keypaths import lookup, rival, substitute, without
from simio.loading.vary import SETS, KeySetting, canonical, texts
from simio.loading.yamltree import Node


def apply(root: Node, settings: Sequence[KeySetting]) -> Node:
    """The tree with these settings; it shares with `root` all that they do not touch."""
    given = {setting.key for setting in settings}
    for setting in settings:
        root = substitute(root, setting.keys, setting.value, setting.place)
        other = rival(setting.keys)
        node = lookup(root, other) if other else None
        if node is not None and ".".join(other) not in given and node.place.file != SETS:
            root = without(root, other)
    return root


def apply_once(ctx: Context, root: Node, settings: Sequence[KeySetting], sets: Sequence[str]) -> Node:
    """Apply settings that `read_sets` made of the texts `sets`; a section is made once for the same settings."""
    entries, places = dict(root.entries), dict(root.key_places)
    for section, own in _by_section(settings).items():

        def make(section: str = section, own: Sequence[KeySetting] = own) -> Node:
            return apply(root, own).entries[section]

        # Places of the nodes count the texts as lines.
        label = (section, *(f"{setting.place.line} {sets[setting.place.line - 1]}" for setting in own))
        entries[section] = ctx.once(label, (root,), make)
        places.setdefault(section, own[0].place)
    return replace(root, value=entries, key_places=places) if settings else root


def _by_section(settings: Sequence[KeySetting]) -> dict[str, list[KeySetting]]:
    sections: dict[str, list[KeySetting]] = {}
    for setting in settings:
        sections.setdefault(setting.keys[0], []).append(setting)
    return sections


class Cases:
    """The settings of each case, which have no problem."""

    def __init__(self, settings: Sequence[tuple[KeySetting, ...]]) -> None:
        self.settings = settings
        self._values: dict[str, list[object] | None] = {}

    @cached_property
    def texts(self) -> list[dict[str, str]]:
        """Key path and value as written, for each setting of each case."""
        return [texts(case) for case in self.settings]

    def beside(self, key: str) -> bool:
        """True if a setting is in the same item of a section as a key path: it may make a mapping of a text."""
        item = key.split(".")[:2]
        return any(setting.keys[:2] == item for case in self.settings for setting in case)

    def values(self, key: str) -> list[object] | None:
        """Settings of cases at a key path, in the form of `canonical`: [] for none, None if there may be others."""
        if key not in self._values:
            own = [[each for each in case if _meets(each.key, key)] for case in self.settings]
            if not any(own):
                self._values[key] = []
            elif all([each.key for each in case] == [key] for case in own):
                self._values[key] = [canonical(case[0].value) for case in own]
            else:
                self._values[key] = None
        return self._values[key]


def _meets(own: str, key: str) -> bool:
    """True if a value at one key path may change that at another; a `name` is part of its item's path."""
    return f"{own}.".startswith(f"{key}.") or key.startswith(f"{own}.") or own.endswith(".name")


class Trees:
    """The tree of each case, made when it is needed; cases with the same settings in a section share the section."""

    def __init__(self, ctx: Context, root: Node, cases: Cases) -> None:
        self.ctx, self.root, self.cases = ctx, root, cases
        self._made: dict[int, Node] = {}

    def __len__(self) -> int:
        return len(self.cases.settings)

    def __getitem__(self, index: int) -> Node:
        if index not in self._made:
            self._made[index] = self._tree(self.cases.settings[index])
        return self._made[index]

    def _tree(self, case: Sequence[KeySetting]) -> Node:
        entries, places = dict(self.root.entries), dict(self.root.key_places)
        for section, own in _by_section(case).items():

            def make(section: str = section, own: Sequence[KeySetting] = own) -> Node:
                return apply(self.root, own).entries[section]

            nodes = (entries.get(section), *(setting.value for setting in own))
            entries[section] = self.ctx.once(("varied", *(setting.key for setting in own)), nodes, make)
            places.setdefault(section, own[0].place)
        return replace(self.root, value=entries, key_places=places) if case else self.root

    def meanings(self, key: str) -> list[object]:
        """The value at a key path in each case, as `canonical` has it, or None."""
        values = None if len(self._made) == len(self) else self.cases.values(key)
        if values:
            return values
        if values is not None:
            alike = _meaning(self.root, key)
            if alike is not None or not self.cases.beside(key):
                return [alike] * len(self)
        return [_meaning(self[index], key) for index in range(len(self))]


def _meaning(tree: Node, key: str) -> object:
    node = lookup(tree, key.split("."))
    return None if node is None else canonical(node)
