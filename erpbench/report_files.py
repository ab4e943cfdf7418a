"""The report of a run folder: read its records, build the report, write it as Markdown and JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from actors.run_file import RECORDS_NAME, RunFile, load
from analysis.load import read_records
from analysis.report import Report, RunFacts, build, report_json, report_markdown
from erpbench.planned import planned
from erpsim.errors import RunError

REPORT_NAME: Final = "report"
DIGESTS: Final = ("panel_digest", "models_digest", "prompts_digest")


class Written(NamedTuple):
    """Where a report stands."""

    page: Path
    figures: Path


def build_report(folder: Path) -> Report:
    """Build the report of a run from its folder.

    Raises:
        RunError: the folder holds no run, or no records that can be trusted.
        ProblemError, WorkError: the panel that the run names cannot be read or lacks a problem.
    """
    run_file = load(folder)
    records = read_records(folder / RECORDS_NAME)
    plan = planned(run_file)
    facts = RunFacts(
        title=f"ERPBench run {run_file.run_id}",
        models=run_file.plan.models,
        planned=plan.trajectories,
        standins=plan.standins,
        certificate=_certificate(run_file),
    )
    return build(records, facts)


def write_report(report: Report, folder: Path) -> Written:
    """Write `report.md` and `report.json` into a folder, which is made if it is missing.

    Raises:
        RunError: they cannot be written.
    """
    written = Written(folder / "report.md", folder / "report.json")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in zip(written, (report_markdown(report), report_json(report)), strict=True):
            draft = path.with_name(path.name + ".new")
            draft.write_text(text, encoding="utf-8")
            draft.replace(path)
    except OSError as error:
        raise RunError(f"{folder}: the report cannot be written ({error.strerror}); name another with --out") from error
    return written


def _certificate(run_file: RunFile) -> dict[str, str | int | None]:
    plan = run_file.plan
    digests = {name: getattr(plan, name) for name in DIGESTS}
    return {"run_id": run_file.run_id, "standin_seed": plan.standin_seed, **digests}
