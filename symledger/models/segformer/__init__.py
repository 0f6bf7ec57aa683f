"""SegFormer: a pyramid of attention, and a light head that sorts every place."""
