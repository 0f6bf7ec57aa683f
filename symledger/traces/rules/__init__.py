"""What operations of PyTorch compute: a file of rules a topic, a rule an operation.

To add a rule, write a function in the file of its topic (a new topic is a new file, found by
itself), and say whose it is::

    @rule("aten.square")
    def square(at: At, self: Tensor) -> Made:
        \"\"\"Multiply by itself.\"\"\"
        return each(at, Scalar((X,), X**2), self)

It takes where it is used, then the operation's arguments by the names of PyTorch's schema: tensors
of ours, numbers as formulas, tuples, words, ``None``. It returns the tensor that comes out, or a
tuple of as many results as it makes; the others are refused where they are used. A use of the
operation that it does not understand is refused, with the reason: ``raise at.refused("…")``. What
PyTorch computes at once, and keeps less for than its parts would, is a component of ``kernels``.
Its test is one row of ``tests/traces/rules/``: a module of a line or two, run both ways.
"""
