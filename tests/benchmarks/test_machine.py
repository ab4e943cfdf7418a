from benchmarks.machine import machine, work


def test_the_pace_is_taken_of_the_same_steps_each_time() -> None:
    assert work() == work()
    assert machine()["pace_ms"] > 0
