"""``python -m symledger.explain``: bring the index up to date."""

from symledger.explain.index import usual
from symledger.explain.index.outlines import derived, written
from symledger.explain.index.stamp import FOLDER


def main() -> None:
    """Derive what is searched, and write it."""
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / usual.FILE).write_text(usual.written(), encoding="utf-8")
    for name, surveys in derived().items():
        (FOLDER / f"{name}.json").write_text(written(surveys), encoding="utf-8")
        drawn = sum(len(survey.outlines) for survey in surveys.values())
        print(f"{name}.json: {drawn} outlines of {len(surveys)} targets")


if __name__ == "__main__":
    main()
