"""The version, which citations and records name."""

VERSION = "0.1.0"
