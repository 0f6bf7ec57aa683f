"""Every recorded file: what was compared, shown, extracted or indexed, and permanent tags."""

from pathlib import Path

FOLDER = Path(__file__).parent
