"""`python -m simio` is the command `simio`."""

from simio.cli.main import main

if __name__ == "__main__":
    main(prog_name="simio")
