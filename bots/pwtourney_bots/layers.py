"""The sums of both layers of the network of `champion`.

They are computed in a fixed order, without an exponential function: else the last digit would
differ between machines, and so would the games.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from pwtourney.simulate.kernel import within
from pwtourney_bots.network import UNITS

__all__ = ["weigh"]

_UNITS_TYPE = ir.VectorType(ir.FloatType(), UNITS)
_FLOAT_BYTES = 4


@intrinsic
def _weigh(_: Any, first: Any, last: Any, inputs: Any) -> Any:
    """Compute both layers with vectors of all units.

    A loop over single units takes three times as long. The compiler may not change the order of
    additions, so it cannot vectorise this by itself.
    """

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        firsts, lasts, counts = (
            context.make_array(kind)(context, builder, value)
            for kind, value in zip(signature.args, arguments, strict=True)
        )
        zeros = ir.Constant(_UNITS_TYPE, [0.0] * UNITS)
        sums = cgutils.alloca_once_value(builder, zeros)
        (rows,) = cgutils.unpack_tuple(builder, counts.shape)
        with cgutils.for_range(builder, rows) as loop:
            count = builder.load(builder.gep(counts.data, [loop.index]))
            single = builder.insert_element(zeros, count, ir.Constant(ir.IntType(32), 0))
            everywhere = builder.shuffle_vector(single, zeros, _index([0] * UNITS))
            weighted = builder.fmul(everywhere, _load_row(builder, firsts.data, loop.index))
            builder.store(builder.fadd(builder.load(sums), weighted), sums)
        whole = builder.load(sums)
        is_on = builder.fcmp_ordered(">", whole, zeros)
        # the first unit passes everything on
        always = ir.Constant(ir.VectorType(ir.IntType(1), UNITS), [1] + [0] * (UNITS - 1))
        units = builder.select(builder.or_(is_on, always), whole, zeros)
        results = []
        for number in range(2):
            row = ir.Constant(ir.IntType(64), number)
            products = builder.fmul(units, _load_row(builder, lasts.data, row))
            results.append(_add_up(builder, products))
        return context.make_tuple(builder, signature.return_type, results)

    return types.UniTuple(types.float32, 2)(first, last, inputs), code


def _index(numbers: list[int]) -> Any:
    return ir.Constant(ir.VectorType(ir.IntType(32), len(numbers)), numbers)


def _load_row(builder: Any, weights: Any, row: Any) -> Any:
    """Load a row of weights, which has one for each unit."""
    begin = builder.gep(weights, [builder.mul(row, ir.Constant(row.type, UNITS))])
    pointer = builder.bitcast(begin, _UNITS_TYPE.as_pointer())
    return builder.load(pointer, align=_FLOAT_BYTES)


def _add_up(builder: Any, vector: Any) -> Any:
    """Sum up a vector: add the upper half to the lower one, until one number is left."""
    width = UNITS
    while width > 1:
        width //= 2
        lower = builder.shuffle_vector(vector, vector, _index([*range(width)]))
        upper = builder.shuffle_vector(vector, vector, _index([*range(width, 2 * width)]))
        vector = builder.fadd(lower, upper)
    return builder.extract_element(vector, ir.Constant(ir.IntType(32), 0))


@within
def weigh(network, inputs):
    """Return the logit of winning and the margin for the player to move."""
    return _weigh(network.first, network.last, inputs)
