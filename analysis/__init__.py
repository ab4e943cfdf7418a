"""From a run's records to tables and a report."""

__all__: list[str] = []
