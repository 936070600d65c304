"""The package distributed, Dask's schedulers and workers, or what to install."""

from __future__ import annotations

from aqmlab.errors import ExecutorError

try:
    import distributed
except ImportError as missing:
    raise ExecutorError(
        f"the executor dask needs the package distributed, from PyPI ({missing}): pip install distributed, "
        "or pip install 'aqmlab[dask]'"
    ) from None

__all__ = ["distributed"]
