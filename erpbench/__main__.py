"""Entry point of the `erpbench` command."""

import argparse


def main() -> None:
    """Parse the command line."""
    argparse.ArgumentParser(prog="erpbench", description="Play the ERPBench panel on Ray.").parse_args()


if __name__ == "__main__":
    main()
