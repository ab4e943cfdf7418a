"""`erpbench replay`: play a run again from its recorded replies, without any network."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from erpbench import options
from erpbench.playing import Shown, play_and_report

if TYPE_CHECKING:
    from actors.progress import Listener
    from actors.summary import Summary


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
    given = {"shards": shards, "in_flight": in_flight}
    here = {name: value for name, value in given.items() if value is not None} | options.files(models, panel)
    replay_and_report(recorded, out, here, Shown(no_report, as_json))


def replay_and_report(recorded: Path, folder: Path, given: Mapping[str, Any], shown: Shown) -> None:
    """Play a run again in a new folder and print its report; `given` are the settings that are not the usual ones."""
    from actors.run_file import RunSettings

    settings = RunSettings(**given)

    def again(listener: Listener) -> Summary:
        from actors import driver

        return driver.replay(recorded, folder, settings, listener)

    play_and_report(again, shown)
