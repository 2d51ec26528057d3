"""The HTTP API against its own document: schemathesis asks what the document allows, and what it does not, and holds the answers against
it. Nothing may fail, with API keys and without."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast._local import LocalServer, find_binary

HERE = Path(__file__).resolve().parent
#: The same cases each time: what lands must not hang on luck.
SEED = "20261130"
#: It asks as fast as it can; how often one may ask is tested elsewhere.
SERVED = ("--requests-per-second", "1000000", "--embedding", "none")
SCHEMATHESIS = (sys.executable, "-m", "schemathesis.cli", "--config-file", str(HERE / "schemathesis.toml"), "run")


def operator_key(store: Path) -> str:
    command = [find_binary(), "--store", str(store), "--json", "key", "create", "--role", "operator", "--tenant", "海岸"]
    made = subprocess.run(command, capture_output=True, text=True, check=True, encoding="utf-8")
    return str(json.loads(made.stdout)["key"])


# A minute on two busy cores, each.
@pytest.mark.timeout(300)
@pytest.mark.parametrize("with_keys", [False, True], ids=["without keys", "with an operator's key"])
def test_the_api_is_what_its_document_says(tmp_path: Path, with_keys: bool) -> None:
    store = tmp_path / "store"
    header = ["--header", f"Authorization: Bearer {operator_key(store)}"] if with_keys else []
    server = LocalServer(store, arguments=SERVED)
    try:
        ran = subprocess.run(
            [*SCHEMATHESIS, f"{server.base_url}/openapi.json", "--seed", SEED, "--no-color", *header],
            cwd=tmp_path,
            env={**os.environ, "SCHEMATHESIS_HOOKS": "schemathesis_hooks", "PYTHONPATH": str(HERE)},
            capture_output=True,
            text=True,
            encoding="utf-8",
        )
        assert ran.returncode == 0, ran.stdout[-20_000:] + ran.stderr
        assert server.last_words() is None, "the server ended"
    finally:
        server.stop()
