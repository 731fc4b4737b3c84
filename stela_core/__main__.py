"""``python -m stela_core``: the command line without its script."""

from stela_core.cli.main import main

if __name__ == "__main__":
    main()
