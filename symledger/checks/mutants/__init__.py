"""Mutants: deliberate mistakes, each of which some check has to find.

A check is worth what it refuses. So programs are built with a mistake in them, rules of the
readings are replaced by wrong ones, and wrong statements that are common in the field are put
where a formula belongs. Each mutant goes through the checks that every formula goes through; one
that passes them all is a survivor, and a survivor is a defect of the checks.
"""
