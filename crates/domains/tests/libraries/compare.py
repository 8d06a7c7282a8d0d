"""Recomputes operations on polyhedra with other libraries: the Parma Polyhedra Library for the
reals, isl for the integers. Every line of the input is one operation with its result; what
differs is printed, and at the end how many were looked at."""

import sys

try:
    import ppl
except ImportError:
    ppl = None
try:
    import islpy
except ImportError:
    islpy = None


def constraints(text):
    """Lists of (coefficients, relation, bound); None for the empty set."""
    if text == "none":
        return None
    found = []
    for part in text.split(";"):
        words = part.split()
        if words:
            at = next(i for i, w in enumerate(words) if w in ("=", "<=", "<"))
            found.append(([int(w) for w in words[:at]], words[at], int(words[at + 1])))
    return found


def sources(text):
    """Lists of (coefficients, constant)."""
    parts = [[int(w) for w in part.split()] for part in text.split(";") if part.split()]
    return [(part[:-1], part[-1]) for part in parts]


class Reals:
    def make(self, variables, listed, shift=0):
        if listed is None:
            return ppl.NNC_Polyhedron(variables, "empty")
        poly = ppl.NNC_Polyhedron(variables, "universe")
        for coefficients, relation, bound in listed:
            total = ppl.Linear_Expression(0)
            for i, c in enumerate(coefficients):
                total += c * ppl.Variable(i + shift)
            if relation == "=":
                poly.add_constraint(total == bound)
            elif relation == "<=":
                poly.add_constraint(total <= bound)
            else:
                poly.add_constraint(total < bound)
        return poly

    def project(self, poly, few):
        poly.remove_higher_space_dimensions(few)
        return poly

    def meet(self, a, b):
        a.intersection_assign(b)
        return a

    def hull(self, a, b):
        a.poly_hull_assign(b)
        return a

    def equal(self, a, b):
        return a == b

    def contains(self, a, b):
        return a.contains(b)


class Integers:
    def make(self, variables, listed, shift=0):
        space = islpy.Space.set_alloc(islpy.DEFAULT_CONTEXT, 0, variables)
        if listed is None:
            return islpy.Set.empty(space)
        found = islpy.BasicSet.universe(space)
        for coefficients, relation, bound in listed:
            local = islpy.LocalSpace.from_space(space)
            if relation == "=":
                kind = islpy.Constraint.alloc_equality(local)
            else:
                kind = islpy.Constraint.alloc_inequality(local)
            # An inequality says that the sum is not negative.
            sign = 1 if relation == "=" else -1
            for i, c in enumerate(coefficients):
                kind = kind.set_coefficient_val(islpy.dim_type.set, i + shift, sign * c)
            constant = -bound if relation == "=" else bound - (1 if relation == "<" else 0)
            found = found.add_constraint(kind.set_constant_val(constant))
        return islpy.Set.from_basic_set(found)

    def project(self, found, few):
        count = found.dim(islpy.dim_type.set)
        return found.project_out(islpy.dim_type.set, few, count - few)

    def meet(self, a, b):
        return a & b

    def hull(self, a, b):
        return a | b

    def equal(self, a, b):
        return a.is_equal(b)

    def contains(self, a, b):
        return b.is_subset(a)


def steps(values, variables, first, second):
    """What an assignment says: variables from `first` get values of those from `second`."""
    found = []
    for i, (coefficients, constant) in enumerate(values):
        row = [0] * (2 * variables)
        row[first + i] += 1
        for j, c in enumerate(coefficients):
            row[second + j] -= c
        found.append((row, "=", constant))
    return found


def check(world, exact, op, variables, fields):
    """Whether the result is right: equal where `exact`, or on the promised side."""
    first = constraints(fields[0])
    a = world.make(variables, first)
    if op == "meet":
        expected = world.meet(a, world.make(variables, constraints(fields[1])))
        return world.equal(expected, world.make(variables, constraints(fields[2])))
    if op == "hull":
        expected = world.hull(a, world.make(variables, constraints(fields[1])))
        result = world.make(variables, constraints(fields[2]))
        return world.equal(expected, result) if exact else world.contains(result, expected)
    if op == "covers":
        # Hulls with strict bounds, and widening: a set that contains both.
        result = world.make(variables, constraints(fields[2]))
        b = world.make(variables, constraints(fields[1]))
        return world.contains(result, a) and world.contains(result, b)
    if op == "includes":
        contains = world.contains(a, world.make(variables, constraints(fields[1])))
        claimed = fields[2] == "yes"
        return contains == claimed if exact else contains or not claimed
    if op == "project":
        few = int(fields[1])
        expected = world.project(a, few)
        outside = world.make(few, constraints(fields[2]))
        inside = world.make(few, constraints(fields[3]))
        if exact:
            return world.equal(expected, outside) and world.equal(expected, inside)
        return world.contains(outside, expected) and world.contains(expected, inside)
    if op == "image":
        # New values first, old ones behind them.
        both = world.make(2 * variables, first, variables)
        rows = steps(sources(fields[1]), variables, 0, variables)
        both = world.meet(both, world.make(2 * variables, rows))
        expected = world.project(both, variables)
        result = world.make(variables, constraints(fields[2]))
        return world.equal(expected, result) if exact else world.contains(result, expected)
    if op == "preimage":
        both = world.make(2 * variables, first, variables)
        rows = steps(sources(fields[1]), variables, variables, 0)
        both = world.meet(both, world.make(2 * variables, rows))
        expected = world.project(both, variables)
        return world.equal(expected, world.make(variables, constraints(fields[2])))
    raise ValueError(op)


def main():
    worlds = {"reals": ppl and Reals(), "integers": islpy and Integers()}
    for name, library in (("ppl", ppl), ("islpy", islpy)):
        if library is None:
            print("missing", name)
    looked = 0
    for line in sys.stdin:
        head, *fields = [part.strip() for part in line.rstrip("\n").split("|")]
        op, numbers, variables = head.split()
        world = worlds[numbers]
        if world is None:
            continue
        if not check(world, numbers == "reals", op, int(variables), fields):
            print("differs:", line.strip())
        looked += 1
    print("looked at", looked)


main()
