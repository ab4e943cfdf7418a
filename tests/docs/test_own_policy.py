"""The script on the page runs as it stands and prints what the page shows."""

from pathlib import Path

import pytest

from tests.docs.own_policy import printed, shown_output


@pytest.mark.slow
def test_the_script_prints_what_the_page_shows(tmp_path: Path) -> None:
    assert printed(tmp_path) == shown_output().text, "run `python -m tests.docs.own_policy` and read the difference"
