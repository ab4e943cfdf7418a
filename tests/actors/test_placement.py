"""Where shards stand: who is told when there is no room, and when a lost node is not replaced."""

import pytest
from ray.util.placement_group import placement_group_table

from actors import placement
from actors.assignment import model_actors_for, shards_for
from actors.messages import Lost
from actors.placement import Node, Places, Watch, homeless
from erpsim.errors import RunError

ABSENT = "f" * 56


@pytest.mark.parametrize(
    ("cores", "shards"), [((2.0,), 1), ((8.0,), 1), ((16.0,), 2), ((4.0, 4.0, 4.0, 4.0), 2), ((0.0, 64.0), 8), ((), 1)]
)
def test_there_is_a_shard_for_each_8_cores_of_all_nodes_and_one_at_least(cores: tuple[float, ...], shards: int) -> None:
    assert shards_for(cores) == shards


@pytest.mark.parametrize(("cores", "actors"), [(0.5, 1), (1.0, 1), (2.0, 1), (2.9, 1), (4.0, 3), (8.0, 7)])
def test_models_have_an_actor_for_each_core_beside_that_of_the_rules_and_one_at_least(
    cores: float, actors: int
) -> None:
    assert model_actors_for(cores) == actors


def test_cores_are_those_of_the_nodes_on_which_shards_may_stand() -> None:
    nodes = [Node("here", "a.example", 2.0), Node("there", "b.example", 16.0)]
    assert placement.cores_of(nodes, [None, None]) == 18.0
    assert placement.cores_of(nodes, ["here", "here"]) == 2.0


def test_shards_stand_anywhere_unless_only_this_machine_has_what_they_need() -> None:
    nodes = [Node("here", "a.example", 0.0), Node("there", "b.example", 16.0)]
    assert placement.wanted(nodes, None, local_only=False) == [None, None]
    assert placement.wanted(nodes, 3, local_only=False) == [None] * 3
    assert placement.wanted(nodes, None, local_only=True) == ["here"]
    assert placement.wanted(nodes, 2, local_only=True) == ["here", "here"]


def test_a_shard_without_a_node_is_so_since_it_was_first_seen_so() -> None:
    since = homeless({"shard 1": "", "shard 2": "n"}, {}, 10.0)
    assert since == {"shard 1": 10.0}
    assert homeless({"shard 1": "", "shard 2": ""}, since, 12.0) == {"shard 1": 10.0, "shard 2": 12.0}
    assert homeless({"shard 1": "n", "shard 2": ""}, since, 12.0) == {"shard 2": 12.0}


class Group:
    """Stands for Ray's placement group."""

    bundle_specs = ({"CPU": placement.CPU_SHARE},)


def test_g3_07_a_shard_whose_node_is_not_replaced_in_time_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    places = Places(Group(), ("shard 1", "shard 2"))  # type: ignore[arg-type]
    stand = {"shard 1": "a", "shard 2": "b"}
    monkeypatch.setattr(placement, "homes", lambda _: stand)
    watch = Watch(places, 30.0)
    watch.look(0.0)
    stand["shard 2"] = ""
    watch.look(1.0)
    assert watch.since == {}, "it looks again after two seconds and not before"
    watch.look(2.0)
    stand["shard 2"] = "a"
    watch.look(20.0)
    stand["shard 2"] = ""
    watch.look(40.0)
    watch.look(69.0)
    with pytest.raises(Lost, match=r"^the node of shard 2 was lost 30 s ago or more, and no other node with a CPU is"):
        watch.look(71.0)


def test_a_run_without_places_is_not_watched() -> None:
    Watch(None, 0.0).look(0.0)


@pytest.mark.ray
def test_shards_without_a_wish_stand_on_a_node_with_cpus_until_they_are_released(ray_up: None) -> None:
    places = placement.reserve(["shard 1", "shard 2"], [None, None])
    placement.await_places(places, 30.0)
    assert set(placement.homes(places).values()) == {placement.nodes()[0].identity}
    placement.release(places)
    placement.release(places)
    assert placement_group_table(places.group)["state"] == "REMOVED"


@pytest.mark.ray
def test_g3_07_a_place_that_is_not_there_is_named_within_its_time(ray_up: None) -> None:
    places = placement.reserve(["shard 1"], [ABSENT])
    with pytest.raises(RunError, match=r"^no place within 1 s for shard 1: each needs the one node that it is bound"):
        placement.await_places(places, 1.0)
    assert placement.homes(places) == {"shard 1": ""}
    placement.release(places)
