"""``python -m stela_cli``: the command line without its script."""

from stela_cli.main import main

if __name__ == "__main__":
    main()
