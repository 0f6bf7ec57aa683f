"""``python -m symledger`` and the ``symledger`` command."""

import gc
import sys


def main() -> None:
    """Run the command line, sparing Python the search for garbage.

    A derivation takes a third of a second. A tenth of it would go into looking for garbage among
    SymPy's modules, and a quarter into taking them apart at the end: frozen, they are left to the
    operating system. Commands that run longer switch the collector on again.
    """
    gc.disable()
    try:
        from symledger.cli.main import main as run

        run()
    except KeyboardInterrupt:  # before the command line was read, or after all was said
        sys.stderr.write("Stopped: interrupted.\n")
        sys.exit(130)
    finally:
        gc.freeze()


if __name__ == "__main__":
    main()
