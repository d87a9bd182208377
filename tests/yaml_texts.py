"""A scenario as text, and what reading a text gives."""

import pytest

from simio.errors import ScenarioError
from simio.loading.yamltree import parse_yaml

SCENARIO = """\
title: raw blast   # a comment
hosts:
  challenge: {model: hosts/sgi-challenge-l, cpus: 2, kernel: {page_pin: 3 us}}
  onyx: &onyx {like: challenge}
links:
  - {model: links/hippi-800, between: [challenge.hippi, onyx.hippi], length: 10 m}
  - model: links/fc
    gain: 1e3
workload:
  blast: {size: "256 B", packets: 0x10, sink: true, other: ~}
about: |
  two
  lines
"""


def problems(text):
    with pytest.raises(ScenarioError) as caught:
        parse_yaml(text, "f")
    return str(caught.value).splitlines()


def value_of(text):
    return parse_yaml(f"- {text}\n", "f").plain()[0]
