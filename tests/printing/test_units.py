"""Bytes in larger units: exact where they are, and each by its right name."""

from fractions import Fraction

import pytest

from symledger.printing.units import byte_units


@pytest.mark.parametrize(
    ("n", "shown"),
    [
        (0, ""),
        (999, ""),
        (1000, "= 1 kB"),
        (1023, "= 1.023 kB"),
        (1024, "= 1 KiB = 1.024 kB"),
        (16384, "= 16 KiB ≈ 16.38 kB"),
        (9_449_472, "≈ 9.012 MiB ≈ 9.449 MB"),
        (28_348_416, "≈ 27.04 MiB ≈ 28.35 MB"),
        (37_797_888, "≈ 36.05 MiB ≈ 37.8 MB"),
        (13_476_831_232, "≈ 12.55 GiB ≈ 13.48 GB"),
        (349_208_518_656, "≈ 325.2 GiB ≈ 349.2 GB"),
        (2**50, "= 1024 TiB ≈ 1126 TB"),
        (2**60, "= 1,048,576 TiB ≈ 1,152,922 TB"),
        (Fraction(3 * 2**10, 2), "= 1.5 KiB = 1.536 kB"),
    ],
)
def test_bytes_are_written_in_units_by_their_right_names(n, shown):
    assert byte_units(n) == shown
