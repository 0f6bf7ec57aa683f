"""``python -m symledger.citing``: bring the registry of tags up to date."""

import sys

from symledger.citing.update import main
from symledger.errors import SymledgerError

if __name__ == "__main__":
    try:
        main()
    except SymledgerError as error:
        print(error, file=sys.stderr)
        sys.exit(error.exit_code)
