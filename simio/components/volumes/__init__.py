"""Volumes: several disks as one block device, by the host's software or by an array controller."""

from simio.components.volumes.array import ArrayController, ArrayPort
from simio.components.volumes.kinds import make_volume
from simio.components.volumes.parity import ControllerParity, ParityEngine

__all__ = [
    "ArrayController",
    "ArrayPort",
    "ControllerParity",
    "ParityEngine",
    "make_volume",
]
