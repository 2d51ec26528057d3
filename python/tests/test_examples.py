"""The examples run, and so does the Python of the READMEs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast._local import find_binary

PYTHON = Path(__file__).resolve().parent.parent
ROOT = PYTHON.parent


def run(arguments: list[str], folder: Path) -> str:
    ran = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, cwd=folder, encoding="utf-8", timeout=60)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.mark.parametrize(
    ("example", "told"),
    [
        ("plain_loop", ["不超过一页", "先写结论", "结论：退货率 2.8%", "'status': 'done'"]),
        ("langgraph_memory", ["friday: As PDF, then.", "住在余杭", "['city']", "\nNone\n"]),
        ("agents_session", ["fri: 好的，先写结论。", "写这周的周报"]),
    ],
)
def test_examples(example: str, told: list[str], tmp_path: Path) -> None:
    printed = run([str(PYTHON / "examples" / f"{example}.py")], tmp_path)
    for words in told:
        assert words in printed, printed


def test_every_example_is_run() -> None:
    assert {path.stem for path in (PYTHON / "examples").glob("*.py")} == {"plain_loop", "langgraph_memory", "agents_session"}


@pytest.mark.parametrize("page", ["README.md", "README.zh-CN.md", "python/README.md"])
def test_the_python_of_the_readmes(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_BINARY", find_binary())
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert blocks
    for number, block in enumerate(blocks):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "block.py").write_text(block, encoding="utf-8")
        assert run(["block.py"], folder), "it prints what it did"
