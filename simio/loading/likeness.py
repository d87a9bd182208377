"""The key `like`: one entry of a section is all that another is, but for the keys that it has itself."""

from __future__ import annotations

from collections.abc import Mapping

from simio.loading.context import Context
from simio.loading.problems import a, join, place_of
from simio.loading.yamltree import Node

MOST_LIKENESSES = 32


def lineage(
    ctx: Context, name: str, nodes: Mapping[str, Node], section: str, what: str, mapped: str
) -> tuple[Node, ...] | None:
    """The mappings that make up an entry, its own last; None (and a problem) where `like` leads nowhere.

    `what` is an entry of the section in words, and `mapped` what one is expected to be.
    """
    chain, names = [], [name]
    while True:
        node = nodes[names[-1]]
        path = f"{section}.{names[-1]}"
        if not ctx.problems.mapping(node, path, mapped) and node.kind != "map":
            return None
        chain.append(node)
        like = node.entries.get("like")
        if like is None:
            return tuple(reversed(chain))
        path = join(path, "like")
        if "model" in node.entries:
            ctx.problems.add(path, "both model and like", "one of them", place=place_of(node, "like"))
            return None
        other = ctx.problems.text(like, path, f"the name of another {what}")
        if other is None:
            return None
        if other not in nodes:
            ctx.problems.unknown(path, other, [known for known in nodes if known != names[-1]], like.place, what)
            return None
        if len(chain) > MOST_LIKENESSES:
            found = f"more than {MOST_LIKENESSES} {section} each like the next"
            ctx.problems.add(path, found, f"at most {MOST_LIKENESSES}", place=like.place)
            return None
        if other in names:
            # Reported at one place of the circle only, whichever entry it was entered from.
            circle = names[names.index(other) :]
            first = circle.index(min(circle, key=list(nodes).index))
            circle = [*circle[first:], *circle[:first], circle[first]]
            at = nodes[circle[0]].entries["like"].place
            expected = f"{a(what)} that ends in a model"
            ctx.problems.add(f"{section}.{circle[0]}.like", " like ".join(circle), expected, place=at)
            return None
        names.append(other)
