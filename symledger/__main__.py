"""``python -m symledger`` and the ``symledger`` command."""

import gc


def main() -> None:
    """Run the command line, without the garbage collector.

    A derivation takes a third of a second, a tenth of which would go into looking for garbage
    among SymPy's modules. Commands that run longer switch it on again.
    """
    gc.disable()
    from symledger.cli import main as run

    run()


if __name__ == "__main__":
    main()
