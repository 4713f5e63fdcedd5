"""Base models that allow no other keys and convert nothing, for tournament files and stores."""

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    ValidationError,
    create_model,
    model_serializer,
)
from pydantic_core import ErrorDetails

__all__ = ["Number", "StoredModel", "Strict", "find_first_problem", "join_models"]

Number = Annotated[float, Field(strict=False, allow_inf_nan=False)]
"""A finite number, with or without a decimal point."""


class Strict(BaseModel):
    """A table that allows no other keys, converts nothing, and is immutable."""

    # Most tables are read as parts of a larger one, so their own validators are built when needed.
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


class StoredModel(Strict):
    """A part of the schedule as a store keeps it: strict, frozen, and written as it was given.

    An unknown key might decide the pairings, so it is refused.
    """

    @model_serializer(mode="wrap")
    def _write_given(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # Defaults are left out, because hashes cover the text that was first written.
        written: dict[str, Any] = write(self)
        return {key: value for key, value in written.items() if key in self.model_fields_set}


def join_models(
    name: str, first: type[BaseModel], more: Sequence[type[BaseModel]]
) -> type[BaseModel]:
    """Return a model with the fields of `first`, and then those of `more`, in this order.

    It is a subclass of all of them. Raises TypeError if two have a field of the same name.
    """
    parts = [model for model in more if not issubclass(first, model)]
    own = [{*model.model_fields} - {*first.model_fields} for model in parts]
    if sum(map(len, own)) > len(set().union(*own)):
        raise TypeError(f"{name}: two of its parts have a field of the same name")
    # pydantic collects fields from the last base to the first.
    bases = (*reversed(parts), first)
    return create_model(name, __base__=bases, __module__=__name__)


def find_first_problem(error: ValidationError) -> tuple[str, ErrorDetails]:
    """Return the path of the first problem, such as ``seats.0.kind``, and its details.

    The path of a problem of the whole value is empty.
    """
    details = error.errors(include_url=False)[0]
    return ".".join(map(str, details["loc"])), details
