import pytest

from actors.assignment import Stand
from actors.deciders import ModelDecider, PolicyDecider, Sealed, StandardDeciders
from actors.desk import Desk
from actors.desk_link import RemoteGovernor
from actors.journal_link import JournalLink, JournalRecorder
from actors.llm.governor import LocalGovernor
from actors.llm.http_policy import HttpPolicy
from ecologies.models import Limits, Models, parse_models
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
    assert isinstance(deciders(PolicySpec("model", "lab/two"), recorder), ModelDecider)
    for spec in (PolicySpec("model", "none"), PolicySpec("human", "lab/one")):
        with pytest.raises(WorkError, match="cannot be played here"):
            deciders(spec, recorder)


def test_a_policy_over_http_is_asked_without_tools() -> None:
    served = MODELS + 'policy = "http"\n'
    deciders = StandardDeciders(parse_models(served, "models.toml").entries, Sealed({}))
    recorder = JournalRecorder(JournalLink(Kept()))
    decider = deciders(PolicySpec("http", "own"), recorder)
    assert isinstance(decider, ModelDecider)
    assert isinstance(decider.agent, HttpPolicy)
    with pytest.raises(WorkError, match="model 'own' cannot be played here"):
        deciders(PolicySpec("model", "own"), recorder)


def test_accounts_that_several_firm_actors_use_have_one_governor_for_the_run() -> None:
    shared = StandardDeciders(models().entries, Sealed({})).shared_terms()
    assert {account: terms.connections for account, terms in shared.items()} == {"lab": 9}
    both = StandardDeciders(models().entries, Sealed({}), shards=2).shared_terms()
    assert set(both) == {"lab", "http://127.0.0.1:9/v1 OWN_KEY"}


def test_limits_a_minute_are_kept_by_a_governor_that_outlives_the_firm_actor() -> None:
    limited = models().entries[2].model_copy(update={"limits": Limits(tokens_per_minute=1_000.0)})
    assert list(StandardDeciders((limited,), Sealed({})).shared_terms()) == ["http://127.0.0.1:9/v1 OWN_KEY"]
    assert StandardDeciders(models().entries[2:], Sealed({})).shared_terms() == {}


def test_permits_come_from_the_desk_where_an_account_is_shared_and_from_this_process_elsewhere() -> None:
    everything = StandardDeciders(models().entries, Sealed({}))
    desk = Desk(everything.shared_terms())
    recorder = JournalRecorder(JournalLink(Kept()))
    for label, kind in (("lab/one", RemoteGovernor), ("own", LocalGovernor)):
        for stand, expected in ((Stand("here", (), desk), kind), (Stand("", ()), LocalGovernor)):
            decider = everything.at(stand)(PolicySpec("model", label), recorder)
            assert isinstance(decider, ModelDecider)
            assert type(decider.tap.governor) is expected


def test_sealed_keys_show_their_names_only() -> None:
    sealed = Sealed({"LAB_KEY": "canary-1234567"})
    assert repr(StandardDeciders(models().entries, sealed)).count("canary") == 0
    assert "LAB_KEY" in repr(sealed)
    assert sealed.keys().get("LAB_KEY") == "canary-1234567"


def test_g3_23_a_firm_actor_is_given_the_keys_of_its_own_models_only() -> None:
    everything = StandardDeciders(models().entries, Sealed({"OWN_KEY": "canary-1234567", "OTHER": "x"}))
    own, lab = PolicySpec("model", "own"), PolicySpec("model", "lab/one")
    assert everything.at(Stand("", (own,))).sealed.keys().get("OWN_KEY") == "canary-1234567"
    assert repr(everything.at(Stand("", (lab, own))).sealed) == "Sealed(OWN_KEY)"
    assert repr(everything.at(Stand("", (lab,))).sealed) == "Sealed()"
    assert repr(everything.at(Stand("", (PolicySpec("rule", "balanced"),))).sealed) == "Sealed()"
