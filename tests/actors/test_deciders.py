import pytest

from actors.deciders import PolicyDecider, Sealed, StandardDeciders
from actors.journal_link import JournalLink, JournalRecorder
from actors.llm.agent import ModelAgent
from ecologies.models import Models, parse_models
from ecologies.policy import PolicySpec
from erpsim.errors import WorkError
from tests.actors.test_journal_link import Kept

MODELS = """
[models."lab/one"]
base_url = "http://127.0.0.1:9/v1"
model = "one"
account = "lab"
limits = {connections = 9}
[models."lab/two"]
base_url = "http://127.0.0.1:9/v1"
model = "two"
account = "lab"
limits = {connections = 9}
[models."own"]
base_url = "http://127.0.0.1:9/v1"
model = "own"
api_key_env = "OWN_KEY"
"""


def models() -> Models:
    return parse_models(MODELS, "models.toml")


def test_rules_and_models_get_their_deciders_and_nobody_else_does() -> None:
    deciders = StandardDeciders(models().entries, Sealed({}))
    recorder = JournalRecorder(JournalLink(Kept()))
    assert isinstance(deciders(PolicySpec("rule", "balanced"), recorder), PolicyDecider)
    assert isinstance(deciders(PolicySpec("model", "lab/two"), recorder), ModelAgent)
    for spec in (PolicySpec("model", "none"), PolicySpec("human", "lab/one")):
        with pytest.raises(WorkError, match="cannot be played here"):
            deciders(spec, recorder)


def test_actors_that_share_an_account_share_its_connections() -> None:
    connections = StandardDeciders(models().entries, Sealed({})).connections()
    assert connections == {"lab": 4, "http://127.0.0.1:9/v1 OWN_KEY": 8}
    assert StandardDeciders(models().entries, Sealed({}), shards=6).connections()["lab"] == 1


def test_sealed_keys_show_their_names_only() -> None:
    sealed = Sealed({"LAB_KEY": "canary-1234567"})
    assert repr(StandardDeciders(models().entries, sealed)).count("canary") == 0
    assert "LAB_KEY" in repr(sealed)
    assert sealed.keys().get("LAB_KEY") == "canary-1234567"


def test_a_firm_actor_is_given_the_keys_of_its_own_models_only() -> None:
    everything = StandardDeciders(models().entries, Sealed({"OWN_KEY": "canary-1234567", "OTHER": "x"}))
    assert everything.for_host("model own").sealed.keys().get("OWN_KEY") == "canary-1234567"
    assert repr(everything.for_host("model own").sealed) == "Sealed(OWN_KEY)"
    assert repr(everything.for_host("model lab/one").sealed) == "Sealed()"
    assert repr(everything.for_host("rules").sealed) == "Sealed()"
