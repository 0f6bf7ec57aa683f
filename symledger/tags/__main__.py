"""``python -m symledger.tags``: bring the registry of tags up to date."""

import sys

from symledger.errors import SymledgerError
from symledger.tags.update import main

if __name__ == "__main__":
    try:
        main()
    except SymledgerError as error:
        print(error, file=sys.stderr)
        sys.exit(error.exit_code)
