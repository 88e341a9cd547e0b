"""HLO modules as data that can be taken apart: what the generator makes and the reduction of failing modules cuts."""

import dataclasses


@dataclasses.dataclass
class Instruction:
    name: str
    shape: str  # "f32[2,3]", or of a tuple "(f32[2], s32[])"
    opcode: str
    operands: list  # names
    attributes: str = ""  # what follows the parentheses: "dimensions={0}, to_apply=add"
    literal: str | None = None  # what stands in the parentheses of a constant or a parameter
    calls: tuple = ()  # names of the computations in the attributes

    def text(self, is_root):
        inside = self.literal if self.literal is not None else ", ".join(self.operands)
        more = f", {self.attributes}" if self.attributes else ""
        return f"  {'ROOT ' if is_root else ''}{self.name} = {self.shape} {self.opcode}({inside}){more}"

    @property
    def is_tuple(self):
        return self.shape.startswith("(")


@dataclasses.dataclass
class Computation:
    name: str
    instructions: list
    root: str  # the name of an instruction

    def find(self, name):
        return next(i for i in self.instructions if i.name == name)

    def parameters(self):
        found = [i for i in self.instructions if i.opcode == "parameter"]
        return sorted(found, key=lambda i: int(i.literal))

    def used(self, keep_parameters=True):
        """Without the instructions that the root does not need."""
        needed, todo = set(), [self.root]
        while todo:
            name = todo.pop()
            if name not in needed:
                needed.add(name)
                todo += self.find(name).operands
        return Computation(
            self.name,
            [i for i in self.instructions if i.name in needed or (keep_parameters and i.opcode == "parameter")],
            self.root)

    def text(self, is_entry):
        lines = [i.text(i.name == self.root) for i in self.instructions]
        return f"{'ENTRY ' if is_entry else ''}{self.name} {{\n" + "\n".join(lines) + "\n}\n"


@dataclasses.dataclass
class Module:
    name: str
    computations: list  # those that the entry calls, callees first
    entry: Computation

    def find(self, name):
        return next(c for c in self.computations if c.name == name)

    def used(self):
        """Without what the entry's root does not need; all of its parameters stay."""
        entry = self.entry.used()
        needed, todo = set(), [c for i in entry.instructions for c in i.calls]
        while todo:
            name = todo.pop()
            if name not in needed:
                needed.add(name)
                todo += [c for i in self.find(name).instructions for c in i.calls]
        return Module(self.name, [c for c in self.computations if c.name in needed], entry)

    def text(self):
        parts = [f"HloModule {self.name}\n"] + [c.text(False) for c in self.computations] + [self.entry.text(True)]
        return "\n".join(parts)


def with_results(module, names):
    """The module with the tuple of these instructions as its result."""
    entry = module.entry
    others = [i for i in entry.instructions if i.name != "all_results"]
    shapes = ", ".join(entry.find(n).shape for n in names)
    root = Instruction("all_results", f"({shapes})", "tuple", list(names))
    return Module(module.name, module.computations, Computation(entry.name, others + [root],
                                                                root.name)).used()
