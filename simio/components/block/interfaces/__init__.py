"""Interfaces between a program and the block layer, one a file; each registers itself by its name."""

from simio.components.block.interfaces.interface import INTERFACES, RequestInterface, Way, register_interface
from simio.machines.strategies import import_all

__all__ = ["INTERFACES", "RequestInterface", "Way", "register_interface"]

import_all(__name__)
