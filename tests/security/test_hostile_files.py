"""Models files, panels and run files that attack whoever reads them: each is refused in a line, or read as plain data."""

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors import run_file
from actors.planning import RunRequest, make_plan, read_sources, work_of
from actors.run_file import RunSettings
from actors.store import TABLES  # type: ignore[attr-defined]
from ecologies import models as models_module
from ecologies import panel_file
from ecologies.ecology import slug
from ecologies.models import load_models, parse_models
from ecologies.panel import generate
from ecologies.panel_file import Panel, decode, encode, load_panel
from erpsim.errors import ErpbenchError, ModelsError, ProblemError, RunError

ADDRESS = "http://127.0.0.1:1/v1"
ENTRY = f'[models."x"]\nbase_url = "{ADDRESS}"\nmodel = "m"\n'


def labelled(label: str) -> str:
    return ENTRY.replace('"x"', json.dumps(label), 1)
