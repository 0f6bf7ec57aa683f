"""``python -m symledger.configurations.record``: write the defaults of the implementation down.

They are facts from outside: the fields of each configuration class of Hugging Face's transformers
with their defaults, and the other names that keys go by. Needs the extra ``torch``.
"""

from __future__ import annotations

import json
from dataclasses import MISSING, Field, fields
from typing import Any

from symledger.configurations.families import FAMILIES
from symledger.configurations.family import DEFAULTS


def found(model_type: str) -> dict[str, Any]:
    """Return what the class of a model type says of its keys."""
    from transformers import PreTrainedConfig
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    kind = CONFIG_MAPPING[model_type]
    shared = {f.name: _default(f) for f in fields(PreTrainedConfig)}
    own = {f.name: _default(f) for f in fields(kind)}
    keys = {name: value for name, value in own.items() if shared.get(name, MISSING) != value}
    return {"class": kind.__name__, "keys": keys, "aliases": dict(kind.attribute_map)}


def _default(f: Field[Any]) -> Any:
    value = f.default_factory() if f.default_factory is not MISSING else f.default
    return list(value) if isinstance(value, tuple) else value


def main() -> None:
    """Write the file."""
    import transformers

    known = (family.model_type for family in FAMILIES if not family.like)
    families = {model_type: found(model_type) for model_type in known}
    lines = [f'  {json.dumps(name)}: {json.dumps(row)}' for name, row in sorted(families.items())]
    version = f"transformers {transformers.__version__}"
    DEFAULTS.write_text(
        f'{{"version": {json.dumps(version)},\n "families": {{\n' + ",\n".join(lines) + "\n}}\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
