# `just` lists these. None of them does more than the command behind it: without `just`, read them here.

[private]
default:
    @just --list

# The program, optimised: target/release/holdfast
build:
    cargo build --release

# All tests
test:
    cargo test --workspace

# One room's tests: `just room redact`
room name:
    cargo test -p holdfast {{ name }}

# The invariants between the rooms
tidy:
    cargo test -p holdfast --test it tidy

# Formats, then shows what clippy has to say
lint:
    cargo fmt --all
    cargo clippy --workspace --all-targets -- -D warnings

# Licences, banned crates, sources (needs cargo-deny)
deny:
    cargo deny check bans licenses sources

# Everything that must hold before a change lands
ci:
    .ci/run

# A benchmark: `just bench retrieval DIR`
bench *arguments:
    cargo run --release -p holdfast-bench -- {{ arguments }}

# The library's documentation
docs:
    cargo doc --workspace --no-deps --document-private-items

# The example story and its question, in a store of its own
demo:
    cargo run --release -- --store demo replay examples/weekly-report.jsonl --ask 接着把周报弄完

# Property tests with new cases, many of them
props:
    PROPTEST_CASES=2000 cargo test --workspace --release

# Whether the whole way to a language model works: a 135 M model from PyPI, served here, asked by `llm check`
llm-smoke:
    scripts/llm-smoke.sh
