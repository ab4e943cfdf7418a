import pytest

from actors.llm.proxies import proxy_for

ENVIRONMENT = {"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "internal.example, .corp.example"}


@pytest.mark.parametrize(
    ("url", "proxy"),
    [
        ("https://api.example/v1", "http://proxy:3128"),
        ("http://api.example/v1", None),
        ("https://127.0.0.1:8000/v1", None),
        ("https://localhost/v1", None),
        ("https://[::1]/v1", None),
        ("https://internal.example/v1", None),
        ("https://a.corp.example/v1", None),
        ("https://notinternal.example/v1", "http://proxy:3128"),
    ],
)
def test_outside_hosts_go_through_the_proxy_and_loopback_never(url: str, proxy: str | None) -> None:
    assert proxy_for(url, ENVIRONMENT) == proxy


def test_no_environment_is_no_proxy_and_a_star_exempts_all() -> None:
    assert proxy_for("https://api.example/v1", {}) is None
    assert proxy_for("https://api.example/v1", ENVIRONMENT | {"NO_PROXY": "*"}) is None
    assert proxy_for("http://api.example/v1", {"all_proxy": "http://any:1"}) == "http://any:1"
