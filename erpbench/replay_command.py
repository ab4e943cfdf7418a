"""`erpbench replay`: play a run again from its recorded replies, without any network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from erpbench import options
from erpbench.play_commands import play_and_report


def replay(
    recorded: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of the run whose replies are played again.")],
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Run folder to be made; new or empty.")],
    models: options.ModelsFile = None,
    panel: options.PanelFile = None,
    shards: options.Shards = None,
    in_flight: options.InFlight = None,
    no_report: options.NoReport = False,
    as_json: options.AsJson = False,
) -> None:
    """Play a run again in a new folder from its recorded replies: no model is called, no key is needed.

    The records come out as they were, byte for byte. A reply that is not recorded ends the play with an error. --models
    and --panel say where those files are now, if they moved; their content has to be that of the run.
    """
    from actors import driver
    from actors.run_file import RunSettings

    settings = RunSettings(
        panel_path=None if panel is None else str(panel),
        models_path=None if models is None else str(models),
        shards=shards,
        in_flight=in_flight or RunSettings.in_flight,
    )
    play_and_report(lambda listener: driver.replay(recorded, out, settings, listener), no_report, as_json)
