from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from turnledger.engine.location import database_at
from turnledger.server import console
from turnledger.server.app import create_app
from turnledger.server.run import open_service

PAGE = '<script type="module" src="./assets/index-1.js"></script><link href="./mark.svg">'


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    service = open_service(database_at(str(tmp_path / "ledger")))
    with TestClient(create_app(service), base_url="http://127.0.0.1") as client:
        yield client
    service.store.close()


def test_the_plain_page_is_there_without_a_console(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(console, "BUILT", tmp_path)
    page = client.get("/agents/turns?agentId=1", headers={"Accept": "text/html"})
    assert page.status_code == 200
    assert "<script>" not in page.text
    assert "style=" not in page.text
    assert client.get("/plain.js").headers["Content-Type"].startswith("text/javascript")
    assert client.get("/missing.png", headers={"Accept": "image/png"}).status_code == 404
    for path in ("/..%2f..%2fservice.py", "/%2e%2e/service.py", "//etc/passwd"):
        assert "Service" not in client.get(path).text


@pytest.mark.parametrize(
    ("address", "prefix"),
    [
        ("/", "./"),
        ("/index.html", "./"),
        ("/agents", "./"),
        ("/agents/turns?turnId=1", "../"),
        ("/a/b/c", "../../"),
    ],
)
def test_the_page_finds_its_files_from_every_address(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, address: str, prefix: str
) -> None:
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "index-1.js").write_text("0")
    (tmp_path / "index.html").write_text(PAGE)
    monkeypatch.setattr(console, "BUILT", tmp_path)
    page = client.get(address, headers={"Accept": "text/html"})
    assert f'src="{prefix}assets/index-1.js"' in page.text
    assert f'href="{prefix}mark.svg"' in page.text
    assert page.headers["Cache-Control"] == "no-cache"
    assert "immutable" in client.get("/assets/index-1.js").headers["Cache-Control"]
