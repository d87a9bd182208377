"""simio: a discrete-event simulator of end-to-end I/O paths, from the platter to the wire."""

# Nothing is imported before it is asked for: `python -m simio` has the current directory on its path until
# `simio.__main__` takes it away.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from simio.api import Study, load
    from simio.version import VERSION as __version__

__all__ = ["Study", "__version__", "load"]


def __getattr__(name: str) -> object:
    if name in ("Study", "load"):
        import simio.api

        return getattr(simio.api, name)
    if name == "__version__":
        from simio.version import VERSION

        return VERSION
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
