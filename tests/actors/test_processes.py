import subprocess
import sys

from actors import processes

FAMILY = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']).wait()"


def test_grandchildren_are_found_and_ended_by_their_ids() -> None:
    with subprocess.Popen([sys.executable, "-c", FAMILY]) as child:
        family: frozenset[processes.Descendant] = frozenset()
        while len(family) < 2:
            family = frozenset(item for item in processes.descendants() if item.pid == child.pid)
            family |= processes.descendants(child.pid)
        assert processes.alive(family) == family
        processes.end(family, 0.2)
        assert not processes.alive(family)


def test_an_id_that_now_belongs_to_another_process_is_left_alone() -> None:
    with subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE) as child:
        earlier = frozenset({processes.Descendant(child.pid, "1")})
        processes.end(earlier, 0.0)
        assert child.poll() is None
        assert child.stdin is not None
        child.stdin.close()
