"""The graph of partial plans in `planning`'s work memory: where all is kept, nodes and edges.

A node is a number; its key says what partial plans have in common, its lanes hold their least
costs by how many full houses wait for a pair. Nodes are made by layers, and found by key through a
hash table of the layer.
"""

from __future__ import annotations

from .bits import index, mix
from .jit import Words, kernel, opened
from .plancosts import LOSER, TURN, WEAKNESS

__all__ = [
    "ACES",
    "BEGINS",
    "BUCKETS",
    "COSTS",
    "EDGE",
    "EDGES",
    "FEW_SLOTS",
    "FIELD",
    "FLUSHED",
    "HEADS",
    "KEYS",
    "LANES",
    "LANE_0",
    "LAYER",
    "LINKS",
    "NODES",
    "NONE",
    "NO_PLAN",
    "QUESTIONS",
    "SLOTS",
    "STEPS",
    "TOP_LANE",
    "WILDS",
    "WORK_SIZE",
    "add_edge",
    "clear",
    "find_node",
    "relax",
    "worthwhile_lanes",
]

# --- Work memory: one int64 vector, zeros at first and then as it was left ---
# The hands found that need most, with both wilds, have 17,000 nodes; the common ones, 100.
NODES = 32000
EDGES = 80000
SLOTS = 16384  # of a hash table for one layer; most hands are content with FEW_SLOTS
FEW_SLOTS = 1024
LANES = 12
TABLE = 0  # two tables, for the nodes of this layer and of the next; a node's number + 1
BUCKETS = 16
HEADS = TABLE + 2 * SLOTS  # likewise: the first node by claims met
BEGINS = HEADS + 2 * BUCKETS  # what may begin: 7 x (claims, cost, wilds, action, flush cards)
QUESTIONS = BEGINS + 35  # see `planner`
QUESTIONS_SIZE = 5 * 65
STEPS = QUESTIONS + QUESTIONS_SIZE  # of the best plan, last first: see `trace`
MOST_STEPS = 64
KEYS = STEPS + MOST_STEPS
LINKS = KEYS + NODES  # next node of the bucket << 8 | highest lane << 4 | lowest lane
SLOT = LINKS + NODES  # where the node is in TABLE, to clear it in the end
COSTS = SLOT + NODES  # LANES of each node
EDGE = COSTS + LANES * NODES  # from | to << 16 | wilds << 32 | action << 36
#: Words of work memory that the planner needs.
WORK_SIZE = EDGE + EDGES

# A key: how much is claimed of each of five ranks (FIELD bits each), flush cards taken (20 bits of
# a sequence board from this rank on), wilds, aces and layer.
FIELD = 5
FLUSHED, WILDS, ACES, LAYER = 25, 45, 48, 52
NONE = NODES

#: More than any plan costs.
NO_PLAN = 1 << 40
_DEAREST_PAIR = TURN + LOSER + 14 * WEAKNESS

# Full houses that wait for a pair, less pairs that wait: with 27 cards there are at most five such
# pairs, so that -5 to 5 will do. In the highest lane are 6 and more.
LANE_0 = 5
TOP_LANE = LANES - 1

_SCATTER = 0x9E3779B97F4A7C15 >> 1


@kernel
def find_node(
    work: Words, slots: int, nodes: int, first: int, key: int, met: int
) -> tuple[int, int]:
    """The node with that key, and how many nodes there are; a new one if there was none."""
    side = key >> LAYER & 1
    table = TABLE + SLOTS * side
    slot = mix(key, _SCATTER) & (slots - 1)
    while True:
        node = work[index(table + slot)] - 1
        if node < first:
            break
        if work[index(KEYS + node)] == key:
            return node, nodes
        slot = (slot + 1) & (slots - 1)
    work[index(table + slot)] = nodes + 1
    work[index(SLOT + nodes)] = table + slot
    work[index(KEYS + nodes)] = key
    costs = COSTS + LANES * nodes
    for lane in range(LANES):
        work[index(costs + lane)] = NO_PLAN
    head = HEADS + BUCKETS * side + met
    work[index(LINKS + nodes)] = work[index(head)] << 8 | TOP_LANE
    work[index(head)] = nodes
    return nodes, nodes + 1


@opened
def clear(work: Words, nodes: int) -> None:
    """Leave the tables empty."""
    for node in range(1, nodes):
        work[index(work[index(SLOT + node)])] = 0


@kernel
def relax(
    work: Words, source: int, target: int, lanes: int, triples: int, pair: int, cost: int
) -> None:
    """Lower the target's costs to those over an edge. ``lanes``: highest << 4 | lowest of the
    source; ``pair``: the cost of a pair that feeds no full house, 0 if the edge has no pair.
    """
    low, high = lanes & 15, lanes >> 4
    source = COSTS + LANES * source
    costs = COSTS + LANES * target
    if pair:
        low = max(low - 1, 0)
    for lane in range(low, high + 1):
        least = work[index(source + lane)]
        if pair:
            least += pair
            if lane < TOP_LANE:
                least = min(least, work[index(source + lane + 1)])
        to = costs + min(lane + triples, TOP_LANE)
        work[index(to)] = min(work[index(to)], least + cost)
    link = work[index(LINKS + target)]
    lowest = min(link & 15, min(low + triples, TOP_LANE))
    highest = max(link >> 4 & 15, min(high + triples, TOP_LANE))
    work[index(LINKS + target)] = link >> 8 << 8 | highest << 4 | lowest


@opened
def add_edge(work: Words, edges: int, source: int, target: int, action: int, wilds: int) -> int:
    """Note an edge; gives the number of edges."""
    work[index(EDGE + edges)] = source | target << 16 | wilds << 32 | action << 36
    return edges + 1


@opened
def worthwhile_lanes(work: Words, node: int, lanes: int) -> int:
    """The node's lanes (highest << 4 | lowest) without the outer ones that others make useless: one
    less full house waiting that is no cheaper, one more that costs more than a pair could save.
    """
    costs = COSTS + LANES * node
    low, high = lanes & 15, lanes >> 4 & 15
    while low < high and work[index(costs + low)] >= work[index(costs + low + 1)]:
        low += 1
    low_end = max(low, LANE_0)
    while low_end < high and (
        work[index(costs + high)] >= work[index(costs + high - 1)] + _DEAREST_PAIR
    ):
        high -= 1
    return high << 4 | low
