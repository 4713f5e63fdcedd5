"""Where pairs are played: how many at a time, on which cores, in whose processes."""

import re
from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from pwtourney.config.base import Strict

__all__ = [
    "AFFINITIES",
    "EXECUTORS",
    "AffinityConfig",
    "ExecutorConfig",
    "to_affinity",
    "to_executor",
    "to_worker_count",
]


AFFINITIES: dict[str, object] = {"auto": {"cores": 1}, "none": None}
EXECUTORS: dict[str, object] = {"local": None, "dask": {"dask": True}}
"""What may be one word, and the table that it stands for; the first is what is usual."""

_ADDRESS = re.compile(r"(tcp|tls)://[^\s/]+:[0-9]{1,5}")


class ExecutorConfig(Strict):
    """Who plays pairs, if not worker processes of this machine: an executor of one's own, or Dask.

    Both `scheduler` and `dask` mean Dask.
    """

    factory: Annotated[str, Field(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")] | None = Field(
        None, description="module:callable that makes an executor of concurrent.futures."
    )
    scheduler: str | None = Field(
        None, description="Address of a Dask scheduler, such as tcp://10.0.0.1:8786."
    )
    dask: Literal[True] | None = Field(
        None, description="A Dask cluster on this machine; `executor: dask` is short for it."
    )

    @field_validator("scheduler")
    @classmethod
    def _address(cls, address: str | None) -> str | None:
        if address is not None and not _ADDRESS.fullmatch(address):
            raise ValueError("expected tcp://HOST:PORT or tls://HOST:PORT")
        return address

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if sum(each is not None for each in (self.factory, self.scheduler, self.dask)) != 1:
            raise ValueError("expected one of factory, scheduler and dask")
        return self


class AffinityConfig(Strict):
    """How many cores the bots of a game and its referee have to themselves."""

    cores: int = Field(ge=1, le=1024, description="Cores for each game.")


def to_worker_count(value: object) -> object:
    """Take ``auto`` or a number of workers; raises ValueError."""
    if value == "auto" or (type(value) is int and 1 <= value <= 1024):
        return value
    raise ValueError("expected auto or a whole number from 1 to 1024")


def to_executor(value: object) -> object:
    """Write out what may be one word, ``local`` or ``dask``; raises ValueError for others."""
    if isinstance(value, str):
        if value not in EXECUTORS:
            raise ValueError(
                "expected local, dask, {scheduler: tcp://HOST:PORT}, or {factory: module:callable}"
            )
        return EXECUTORS[value]
    return value


def to_affinity(value: object) -> object:
    """Write out what may be one word, ``auto`` or ``none``; raises ValueError for others."""
    if isinstance(value, str):
        if value not in AFFINITIES:
            raise ValueError("expected auto, none, or {cores: N}")
        return AFFINITIES[value]
    return value
