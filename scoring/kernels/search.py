# SPDX-License-Identifier: Apache-2.0
"""Nearest points by Euclidean distance: who is as near as the declared one, and who is nearest.

Points are stored in blocks of eight, column by column, so that a block is compared in one step. Eight
blocks make a node of level 0, eight nodes of a level one of the next; a node's bounding box says between
what each column lies. Points are laid out (`scoring.kernels.layout`) so that a node is compact.

A distance is the 64-bit sum over the columns, in order, of (y - x) * (y - x). Each step of it
(difference, square, sum of what is not negative) rounds monotonically. The same steps on the edge of
a bounding box that is nearest to y therefore never exceed the computed distance of a point inside, and on the
edge that is farthest they never fall below it: nodes are passed over without a margin for rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scoring.kernels.deferred import Module, compiled, instruction, njit, types

LANES = 8  # points in a block, blocks or nodes in a node
SHIFT = 3  # 2 ** SHIFT is LANES
_SCANNED = 6  # so many blocks are compared without testing their bounding boxes first
_MOST_ASKED = 32  # groups of bounding boxes, for the clearance of a point
_ALMOST_A_QUARTER = 0.2499  # of a squared distance
_SMALLEST, _FARTHEST = 1e-200, 1e300  # squared distances between which no rounding is lost

ir, cgutils, signatures = Module("llvmlite.ir"), Module("numba.core.cgutils"), Module("numba.types")


def _vector() -> Any:
    return ir.VectorType(ir.DoubleType(), LANES)


def _data(context: Any, builder: Any, array_type: Any, array: Any, offset: Any) -> Any:
    """The address of an entry of a contiguous array of doubles."""
    data = context.make_array(array_type)(context, builder, array).data
    return builder.gep(data, [offset])


def _load(builder: Any, address: Any) -> Any:
    vector = builder.load(builder.bitcast(address, _vector().as_pointer()))
    vector.align = 8
    return vector


def _store(builder: Any, vector: Any, address: Any) -> None:
    builder.store(vector, builder.bitcast(address, _vector().as_pointer())).align = 8


def _spread(builder: Any, value: Any) -> Any:
    """A vector whose lanes are all the same."""
    first = builder.insert_element(
        ir.Constant(_vector(), ir.Undefined), value, ir.Constant(ir.IntType(32), 0)
    )
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(first, ir.Constant(_vector(), ir.Undefined), zeros)


def _mask(builder: Any, flags: Any) -> Any:
    bits = builder.bitcast(flags, ir.IntType(LANES))
    return builder.zext(bits, ir.IntType(64))


def _sum_of_squares(builder: Any, n_columns: Any, difference: Any) -> Any:
    """The sum over columns, in order, of squared differences, in each lane."""
    zero = ir.Constant(_vector(), [0.0] * LANES)
    total: Any = cgutils.alloca_once_value(builder, zero)
    with cgutils.for_range(builder, n_columns) as loop:
        t = difference(loop.index)
        square = builder.fmul(t, t)
        builder.store(builder.fadd(builder.load(total), square), total)
    return builder.load(total)


def _bits(flags: Any) -> int:
    """The mask of lanes that are true."""
    return int(np.packbits(flags, bitorder="little")[0])


def _plain_sum_of_squares(differences: Any) -> Any:
    total = np.zeros(LANES)
    for row in differences * differences:
        total += row
    return total


def _plain_compare(
    points: Any, block: Any, rows: Any, row: Any, _n: Any, limit: Any, distances: Any
) -> int:
    total = _plain_sum_of_squares(rows[row][:, None] - points[block])
    distances[:] = total
    return _bits(total < limit) | _bits(total == limit) << LANES


@instruction(_plain_compare)
def _compare(
    typing_context: Any,
    points: Any,
    block: Any,
    rows: Any,
    row: Any,
    n_columns: Any,
    limit: Any,
    distances: Any,
) -> Any:
    """Distances of a row to the points of a block; which are below, and which equal, the limit.

    The mask of those below, and LANES bits higher that of the equal ones.
    """
    number = signatures.int64
    signature = number(points, number, rows, number, number, limit, distances)

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        points_, block_, rows_, row_, n_columns_, limit_, distances_ = arguments
        lanes = ir.Constant(ir.IntType(64), LANES)
        zero = ir.Constant(ir.IntType(64), 0)
        base = builder.mul(builder.mul(block_, n_columns_), lanes)
        x = _data(context, builder, points, points_, base)
        y = _data(context, builder, rows, rows_, builder.mul(row_, n_columns_))

        def difference(column: Any) -> Any:
            values = _load(builder, builder.gep(x, [builder.mul(column, lanes)]))
            return builder.fsub(_spread(builder, builder.load(builder.gep(y, [column]))), values)

        total = _sum_of_squares(builder, n_columns_, difference)
        _store(builder, total, _data(context, builder, distances, distances_, zero))
        limits = _spread(builder, limit_)
        below = _mask(builder, builder.fcmp_ordered("<", total, limits))
        equal = _mask(builder, builder.fcmp_ordered("==", total, limits))
        return builder.or_(below, builder.shl(equal, lanes))

    return signature, generate


def _plain_bound(
    low: Any, high: Any, group: Any, rows: Any, row: Any, _n: Any, limit: Any, bounds: Any
) -> int:
    value = rows[row][:, None]
    below, above = low[group] - value, value - high[group]
    outside = np.where(below > above, below, above)
    total = _plain_sum_of_squares(np.where(outside > 0.0, outside, 0.0))
    bounds[:] = total
    return _bits(total <= limit)


@instruction(_plain_bound)
def _bound(
    typing_context: Any,
    low: Any,
    high: Any,
    group: Any,
    rows: Any,
    row: Any,
    n_columns: Any,
    limit: Any,
    bounds: Any,
) -> Any:
    """Least distances of a row to each of eight bounding boxes; the mask of those within the limit."""
    number = signatures.int64
    signature = number(low, high, number, rows, number, number, limit, bounds)

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        low_, high_, group_, rows_, row_, n_columns_, limit_, bounds_ = arguments
        lanes = ir.Constant(ir.IntType(64), LANES)
        zero = ir.Constant(ir.IntType(64), 0)
        zeros = ir.Constant(_vector(), [0.0] * LANES)
        base = builder.mul(builder.mul(group_, n_columns_), lanes)
        lower = _data(context, builder, low, low_, base)
        upper = _data(context, builder, high, high_, base)
        y = _data(context, builder, rows, rows_, builder.mul(row_, n_columns_))

        def difference(column: Any) -> Any:
            offset = builder.mul(column, lanes)
            value = _spread(builder, builder.load(builder.gep(y, [column])))
            below = builder.fsub(_load(builder, builder.gep(lower, [offset])), value)
            above = builder.fsub(value, _load(builder, builder.gep(upper, [offset])))
            outside = builder.select(builder.fcmp_ordered(">", below, above), below, above)
            return builder.select(builder.fcmp_ordered(">", outside, zeros), outside, zeros)

        total = _sum_of_squares(builder, n_columns_, difference)
        _store(builder, total, _data(context, builder, bounds, bounds_, zero))
        return _mask(builder, builder.fcmp_ordered("<=", total, _spread(builder, limit_)))

    return signature, generate


@njit(inline="never")
def _farthest(low: Any, high: Any, group: Any, lane: Any, rows: Any, row: Any) -> Any:
    """The greatest distance of a row to a bounding box."""
    total = 0.0
    for j in range(rows.shape[1]):
        y = rows[row, j]
        t = max(abs(y - low[group, j, lane]), abs(y - high[group, j, lane]))
        total += t * t
    return total


@njit
def _lanes(first: Any, last: Any) -> Any:
    """The mask of lanes from `first` to `last`, cut to those there are."""
    first = max(first, 0)
    last = min(last, LANES - 1)
    return ((2 << last) - 1) & ~((1 << first) - 1) & 0xFF if last >= first else 0


@njit
def _top(start: Any, end: Any) -> Any:
    """The lowest level at which one group of nodes has all points from `start` to `end`."""
    level = 0
    while (start >> (SHIFT * (level + 2))) != ((end - 1) >> (SHIFT * (level + 2))):
        level += 1
    return level


@njit
def _push_nearest_last(stack: Any, n: Any, group: Any, mask: Any, bounds: Any) -> Any:
    """Put the nodes of a mask on the stack, the nearest on top; how many the stack has."""
    first = n
    for lane in range(LANES):
        if (mask >> lane) & 1:
            at = n
            while at > first and bounds[stack[at - 1] & (LANES - 1)] < bounds[lane]:
                stack[at] = stack[at - 1]
                at -= 1
            stack[at] = group * LANES + lane
            n += 1
    return n


@njit(forceinline=True)
def _count_in_block(
    points: Any,
    block: Any,
    rows: Any,
    row: Any,
    limit: Any,
    first: Any,
    last: Any,
    distances: Any,
    done: Any,
) -> Any:
    """The number of points of a block, from `first` to `last`, at the limit; -1 if one is below."""
    found = _compare(points, block, rows, row, rows.shape[1], limit, distances)
    done[0] += LANES
    inside = _lanes(first - block * LANES, last - block * LANES)
    if found & inside:
        return np.int64(-1)
    found = (found >> LANES) & inside
    equal = np.int64(0)
    while found:
        found &= found - 1
        equal += 1
    return equal


@njit
def _count_in_others(
    points: Any,
    low: Any,
    high: Any,
    offsets: Any,
    rows: Any,
    row: Any,
    limit: Any,
    first: Any,
    last: Any,
    own: Any,
    own_equal: Any,
    rival: Any,
    distances: Any,
    stack: Any,
    done: Any,
) -> Any:
    """`own_equal` and how many points from `first` to `last` outside of the block `own` are at the limit.

    -1 where one is below. Next to it the block of the one that was, else `rival`, which is searched first.
    """
    is_near = rival != own and first <= rival * LANES + LANES - 1 and rival * LANES <= last
    if is_near and (
        _count_in_block(points, rival, rows, row, limit, first, last, distances, done) < 0
    ):
        return np.int64(-1), rival
    equal = own_equal
    level = _top(first, last + 1) + 1
    n = 1
    stack[0, 0], stack[1, 0] = first >> (SHIFT * (level + 1)), level
    if (last >> SHIFT) - (first >> SHIFT) < _SCANNED:
        n = 0
        for block in range(first >> SHIFT, (last >> SHIFT) + 1):
            stack[0, n], stack[1, n] = block, 0
            n += 1
    while n:
        n -= 1
        node, level = stack[0, n], stack[1, n]
        if level == 0:
            if node != own:
                more = _count_in_block(points, node, rows, row, limit, first, last, distances, done)
                if more < 0:
                    return np.int64(-1), node
                equal += more
            continue
        level -= 1
        shift = SHIFT * (level + 1)
        box = offsets[level] + node
        inside = _lanes((first >> shift) - node * LANES, (last >> shift) - node * LANES)
        mask = _bound(low, high, box, rows, row, rows.shape[1], limit, distances) & inside
        done[1] += LANES
        for lane in range(LANES):  # all of a far node may be equally far, whatever its size
            if (mask >> lane) & 1 and distances[lane] == limit:
                child = node * LANES + lane
                is_inside = first <= child << shift and ((child + 1) << shift) - 1 <= last
                if is_inside and _farthest(low, high, box, lane, rows, row) == limit:
                    has_own = (own << SHIFT) >> shift == child
                    equal += (1 << shift) - (own_equal if has_own else 0)
                    mask &= ~(1 << lane)
        before = n
        n = _push_nearest_last(stack[0], n, node, mask, distances)
        for pushed in range(before, n):
            stack[1, pushed] = level
    return equal, rival


def _work_for_points(
    _points: Any, _low: Any, _high: Any, _offsets: Any, starts: Any, *_: Any
) -> Any:
    """The pairs of points of the same groups, block by block."""
    size = np.diff(starts)
    return (size * (size + LANES)).sum()


def _work_for_rows(starts: Any, group: Any, queries: Any, begin: int, end: int) -> Any:
    """The pairs of rows and points of their groups, block by block."""
    return (np.diff(starts)[group[queries[begin:end]]] + LANES).sum()


_POINTS = types.Array(types.float64, 3, "C", readonly=True)
_ROWS = types.Array(types.float64, 2, "C", readonly=True)
_INT64 = types.Array(types.int64, 1, "C", readonly=True)
_INT32 = types.Array(types.int32, 1, "C", readonly=True)
_FLOAT64 = types.Array(types.float64, 1, "C", readonly=True)


@compiled(
    types.void(_POINTS, _POINTS, _POINTS, _INT64, _INT64, types.float64[::1]),
    work=_work_for_points,
)
def find_clearances(
    points: Any, low: Any, high: Any, offsets: Any, starts: Any, clearances: Any
) -> Any:
    """Below which distance from a point nobody else of its group can be as near, for each point.

    A record that is less than half as far from the point as the nearest other point is, is farther from
    all others: by the triangle inequality, the half being a little less than that for the rounding
    of both distances. 0 where finding the nearest other takes long, or distances are too small for that.
    """
    n_columns = points.shape[1]
    row = np.empty((1, n_columns))
    distances = np.empty(LANES)
    stack = np.empty((2, LANES * 24), np.int64)
    group = 0
    for place in range(starts[len(starts) - 1]):
        while place >= starts[group + 1]:
            group += 1
        first, last = starts[group], starts[group + 1] - 1
        own = place >> SHIFT
        for column in range(n_columns):
            row[0, column] = points[own, column, place & (LANES - 1)]
        _compare(points, own, row, 0, n_columns, 0.0, distances)
        best = _FARTHEST
        for other in range(max(first, own * LANES), min(last, own * LANES + LANES - 1) + 1):
            if other != place:
                best = min(best, distances[other & (LANES - 1)])
        n, level = 1, _top(first, last + 1) + 1
        stack[0, 0], stack[1, 0] = first >> (SHIFT * (level + 1)), level
        n_asked = 0
        while n:
            n -= 1
            node, level = stack[0, n], stack[1, n]
            if level == 0:
                if node != own:
                    _compare(points, node, row, 0, n_columns, 0.0, distances)
                    for lane in range(LANES):
                        if first <= node * LANES + lane <= last:
                            best = min(best, distances[lane])
                continue
            if n_asked == _MOST_ASKED:
                best = 0.0
                break
            n_asked += 1
            level -= 1
            shift = SHIFT * (level + 1)
            inside = _lanes((first >> shift) - node * LANES, (last >> shift) - node * LANES)
            box = offsets[level] + node
            mask = _bound(low, high, box, row, 0, n_columns, best, distances) & inside
            before = n
            n = _push_nearest_last(stack[0], n, node, mask, distances)
            for pushed in range(before, n):
                stack[1, pushed] = level
        clearances[place] = _ALMOST_A_QUARTER * best if best > _SMALLEST else 0.0


@compiled(
    types.void(
        _POINTS,
        _POINTS,
        _POINTS,
        _INT64,
        _FLOAT64,
        _ROWS,
        _INT64,
        _INT32,
        _INT32,
        _INT32,
        types.int64,
        types.int64,
        types.int32[::1],
        types.int64[::1],
    ),
    work=lambda *each: _work_for_rows(*each[6:9], *each[10:12]),
)
def count_as_near(
    points: Any,
    low: Any,
    high: Any,
    offsets: Any,
    clearances: Any,
    rows: Any,
    starts: Any,
    group: Any,
    queries: Any,
    places: Any,
    begin: Any,
    end: Any,
    ties: Any,
    work: Any,
) -> Any:
    """The number of points as near to a row as its declared one; 0 if one is nearer.

    For each of `queries[begin:end]`, a row of `rows`: within the points of `group[row]`, from `starts[group]` on, the
    declared one being `places[row]`. There is no full search: the first point that is nearer than the declared one ends
    it. No point is nearer where the distance is below the `clearances` of the declared one.

    `work` counts the points compared and the bounding boxes tested.
    """
    n_columns = rows.shape[1]
    distances = np.empty(LANES)
    stack = np.empty((2, LANES * 24), np.int64)
    done = np.zeros(2, np.int64)
    rival = np.int64(-1)  # the block that beat the query before: alike queries follow each other
    for at in range(begin, end):
        row = queries[at]
        place = np.int64(places[row])
        first, last = starts[group[row]], starts[group[row] + 1] - 1
        own = place >> SHIFT
        _compare(points, own, rows, row, n_columns, 0.0, distances)
        limit = distances[place & (LANES - 1)]
        done[0] += LANES
        if limit < clearances[place]:
            ties[row] = 1
            continue
        equal: Any = np.int64(0)
        for other in range(max(first, own * LANES), min(last, own * LANES + LANES - 1) + 1):
            distance = distances[other & (LANES - 1)]
            equal = -1 if equal < 0 or distance < limit else equal + (distance == limit)
        if equal > 0 and (first < own * LANES or last >= own * LANES + LANES):
            equal, rival = _count_in_others(
                points,
                low,
                high,
                offsets,
                rows,
                row,
                limit,
                first,
                last,
                own,
                equal,
                rival,
                distances,
                stack,
                done,
            )
        ties[row] = max(equal, 0)
    work[0] += done[0]
    work[1] += done[1]


@compiled(
    types.void(
        _POINTS,
        _POINTS,
        _POINTS,
        _INT64,
        _INT32,
        _INT32,
        _ROWS,
        _INT64,
        _INT32,
        _INT32,
        types.int64,
        types.int64,
        types.int64[::1],
        types.int64[::1],
    ),
    work=lambda *each: _work_for_rows(*each[7:12]),
)
def find_nearest(
    points: Any,
    low: Any,
    high: Any,
    offsets: Any,
    order: Any,
    lowest: Any,
    rows: Any,
    starts: Any,
    group: Any,
    queries: Any,
    begin: Any,
    end: Any,
    guess: Any,
    work: Any,
) -> Any:
    """The nearest point to each row of `queries[begin:end]` within its group, as `order` has it.

    Of equally near ones the one that stands lowest in the original, `order[point]`;
    `lowest[node]` is the lowest in each node. `work` as in `count_as_near`.
    """
    n_columns = rows.shape[1]
    distances = np.empty(LANES)
    stack = np.empty(LANES * 24, np.int64)
    levels = np.empty(LANES * 24, np.int64)
    bounds = np.empty(LANES * 24)
    n_compared, n_asked = 0, 0
    for at in range(begin, end):
        row = queries[at]
        first, last = starts[group[row]], starts[group[row] + 1] - 1
        best, best_row = np.inf, np.int64(np.iinfo(np.int32).max)
        level = _top(first, last + 1)
        stack[0], levels[0], bounds[0] = first >> (SHIFT * (level + 2)), level + 1, 0.0
        n = 1
        while n:
            n -= 1
            if bounds[n] > best:
                continue
            node, level = stack[n], levels[n]
            if level == 0:
                found = _compare(points, node, rows, row, n_columns, best, distances)
                found |= found >> LANES
                found &= _lanes(first - node * LANES, last - node * LANES)
                n_compared += 1
                for lane in range(LANES):
                    if (found >> lane) & 1:
                        there = order[node * LANES + lane]
                        if distances[lane] < best or (distances[lane] == best and there < best_row):
                            best, best_row = distances[lane], there
                continue
            level -= 1
            shift = SHIFT * (level + 1)
            box = offsets[level] + node
            inside = _lanes((first >> shift) - node * LANES, (last >> shift) - node * LANES)
            mask = _bound(low, high, box, rows, row, n_columns, best, distances) & inside
            n_asked += 1
            for lane in range(LANES):
                if (mask >> lane) & 1:
                    child = node * LANES + lane
                    its_lowest = lowest[box * LANES + lane]
                    if distances[lane] > best or (
                        distances[lane] == best and its_lowest >= best_row
                    ):
                        mask &= ~(1 << lane)
                        continue
                    is_inside = first <= child << shift and ((child + 1) << shift) - 1 <= last
                    if (
                        is_inside
                        and level
                        and (_farthest(low, high, box, lane, rows, row) == distances[lane])
                    ):  # all of it is equally far
                        best, best_row = distances[lane], its_lowest
                        mask &= ~(1 << lane)
            before = n
            n = _push_nearest_last(stack, n, node, mask, distances)
            for pushed in range(before, n):
                levels[pushed] = level
                bounds[pushed] = distances[stack[pushed] & (LANES - 1)]
        guess[row] = best_row
    work[0] += n_compared * LANES
    work[1] += n_asked * LANES
