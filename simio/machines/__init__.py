"""Machines: protocol and device state too intricate for steps, as plain functions over int64 arrays."""
