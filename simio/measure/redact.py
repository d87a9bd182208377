"""Removal of a machine's identity from raw output: host name, hardware addresses, serial numbers."""

from __future__ import annotations

import platform
import re

GONE = "redacted"
_NAMES = re.compile(
    r"(?im)^(\s*\"?(?:sn|serial(?:[ _]?(?:number|no\.?))?|nguid|eui64|wwn|wwid|uuid|subnqn|machine.?id)\"?\s*[:=]\s*)"
    r".+$"
)
_SERIAL = re.compile(r"(?i)(Device Serial Number\s+).+$", re.MULTILINE)
_ADDRESS = re.compile(r"(?i)\b(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b")
_UUID = re.compile(r"(?i)\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b")
_COOKIE = re.compile(r'("cookie":\s*)"[^"]*"')
_SYSTEM = re.compile(r'("system_info":\s*"Linux )\S+ ')


def redacted(text: str, *more: str) -> str:
    """The text without host names, addresses and serial numbers, and without `more`, such as a folder's path."""
    for pattern in (_NAMES, _SERIAL):
        text = pattern.sub(rf"\1{GONE}", text)
    text = _ADDRESS.sub(GONE, text)
    text = _UUID.sub(GONE, text)
    text = _COOKIE.sub(rf'\1"{GONE}"', text)
    text = _SYSTEM.sub(rf"\1{GONE} ", text)
    own = platform.node()
    # A name of two letters, as 'vm', would be found within other words.
    names = {own, own.partition(".")[0]} if len(own) > 2 else set()
    for name in sorted({*names, *more} - {""}, key=len, reverse=True):
        text = re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", GONE, text)
    return text
