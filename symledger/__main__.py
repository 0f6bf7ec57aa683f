"""``python -m symledger``: the command line."""

from symledger.cli import main

if __name__ == "__main__":
    main()
