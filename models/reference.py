#!/usr/bin/env python3
"""Write what the tests of `holdfast-embed` compare with: token ids and vectors, made without a line of our Rust.

    pip install numpy sentencepiece==0.2.3 protobuf
    python models/reference.py

In:  `e5-small-zh-en.bin` and `reference_texts.py` beside this script.
Out: `crates/holdfast-embed/tests/fixtures/reference.jsonl`, one text a line:
     {"text": …, "ids": [...], "vector": base64 of 384 little-endian f16, for some of the texts}

Token ids come from Google's SentencePiece, given the same pieces, scores and normalisation table. Vectors come from a float32 forward
pass in numpy over the same 4-bit weights. Both with `query: ` in front. Texts are made up for this purpose.
"""

import base64
import json
import struct
from pathlib import Path

import numpy as np
import sentencepiece
from sentencepiece import sentencepiece_model_pb2

from reference_texts import token_texts, vector_texts

HERE = Path(__file__).resolve().parent
MODEL = HERE / "e5-small-zh-en.bin"
FIXTURE = HERE.parent / "crates/holdfast-embed/tests/fixtures/reference.jsonl"

PREFIX = "query: "
BOS, PAD, EOS, UNK = range(4)
HIDDEN, LAYERS, HEADS = 384, 12, 12


def read_tensors(data: bytes) -> dict[str, np.ndarray]:
    """Every tensor of the model file by name; 4-bit ones widened to float32."""
    (count,), at = struct.unpack_from("<I", data, 48), 52
    tensors = {}
    for _ in range(count):
        length = data[at]
        name = data[at + 1 : at + 1 + length].decode()
        at += 1 + length
        dtype, dimensions = data[at], data[at + 1]
        shape = struct.unpack_from(f"<{dimensions}I", data, at + 2)
        offset, size = struct.unpack_from("<QQ", data, at + 2 + 4 * dimensions)
        at += 2 + 4 * dimensions + 16
        raw = data[offset : offset + size]
        if dtype == 3:
            blocks = np.frombuffer(raw, np.dtype([("scale", "<f2"), ("nibbles", "u1", 16)]))
            q = np.concatenate([blocks["nibbles"] & 15, blocks["nibbles"] >> 4], axis=1).astype(np.float32) - 8
            tensors[name] = (q * blocks["scale"].astype(np.float32)[:, None]).reshape(shape)
        else:
            tensors[name] = np.frombuffer(raw, {0: "<f4", 1: "u1", 2: "<u4"}[dtype]).reshape(shape)
    return tensors


def tokenizer(tensors) -> sentencepiece.SentencePieceProcessor:
    """SentencePiece with the vocabulary of the model file."""
    blob, ends = tensors["tokenizer.piece_bytes"].tobytes(), tensors["tokenizer.piece_offsets"]
    model = sentencepiece_model_pb2.ModelProto()
    kind = sentencepiece_model_pb2.ModelProto.SentencePiece
    for i, (start, end, score) in enumerate(zip(ends, ends[1:], tensors["tokenizer.scores"])):
        type_ = {UNK: kind.UNKNOWN, BOS: kind.CONTROL, PAD: kind.CONTROL, EOS: kind.CONTROL}.get(i, kind.NORMAL)
        model.pieces.add(piece=blob[start:end].decode(), score=float(score), type=type_)
    model.trainer_spec.model_type = model.trainer_spec.UNIGRAM
    model.trainer_spec.unk_id, model.trainer_spec.bos_id, model.trainer_spec.eos_id, model.trainer_spec.pad_id = UNK, BOS, EOS, PAD
    spec = model.normalizer_spec
    spec.name, spec.precompiled_charsmap = "nmt_nfkc", tensors["tokenizer.charsmap"].tobytes()
    spec.add_dummy_prefix = spec.remove_extra_whitespaces = spec.escape_whitespaces = True
    return sentencepiece.SentencePieceProcessor(model_proto=model.SerializeToString())


def erf(x):
    """Error function in float64, by its series (small x) and continued fraction (large x)."""
    x = x.astype(np.float64)
    near, far = np.clip(np.abs(x), 0, 3), np.clip(np.abs(x), 3, 6)
    term, total = near.copy(), near.copy()
    for n in range(1, 60):
        term = term * -(near**2) / n
        total += term / (2 * n + 1)
    fraction = far
    for n in range(60, 0, -1):
        fraction = far + n / 2 / fraction
    value = np.where(np.abs(x) < 3, 2 / np.sqrt(np.pi) * total, 1 - np.exp(-(far**2)) / fraction / np.sqrt(np.pi))
    return np.sign(x) * np.where(np.abs(x) > 6, 1, value)


def layer_norm(x, weight, bias):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + 1e-12) * weight + bias


def embed(t, ids) -> np.ndarray:
    length, head = len(ids), HIDDEN // HEADS
    norm = lambda x, name: layer_norm(x, t[f"{name}.weight"], t[f"{name}.bias"])
    linear = lambda x, name: x @ t[f"{name}.weight"].T + t[f"{name}.bias"]
    split = lambda x: x.reshape(length, HEADS, head).transpose(1, 0, 2)
    x = norm(t["embedding.word"][ids] + t["embedding.position"][:length] + t["embedding.type"][0], "embedding.norm")
    for layer in range(LAYERS):
        name = f"layer.{layer}"
        query, key, value = (split(linear(x, f"{name}.{part}")) for part in ("query", "key", "value"))
        scores = query @ key.transpose(0, 2, 1) / np.float32(np.sqrt(head))
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        attended = (weights @ value).transpose(1, 0, 2).reshape(length, HIDDEN)
        x = norm(x + linear(attended, f"{name}.attention_output"), f"{name}.attention_norm")
        inner = linear(x, f"{name}.feed_forward_in")
        inner = (inner * 0.5 * (1 + erf(inner / np.sqrt(2)))).astype(np.float32)
        x = norm(x + linear(inner, f"{name}.feed_forward_out"), f"{name}.output_norm")
    mean = x.mean(0)
    return mean / np.linalg.norm(mean)


def main():
    tensors = read_tensors(MODEL.read_bytes())
    pieces = tokenizer(tensors)
    with_vector = set(vector_texts())
    texts = list(dict.fromkeys(vector_texts() + token_texts()))
    with FIXTURE.open("w") as out:
        for text in texts:
            ids = [BOS, *pieces.encode(PREFIX + text), EOS]
            row = {"text": text, "ids": ids}
            if text in with_vector:
                row["vector"] = base64.b64encode(embed(tensors, ids).astype("<f2").tobytes()).decode()
            out.write(json.dumps(row, ensure_ascii=True, separators=(",", ":")) + "\n")
    print(f"{len(texts)} texts, {len(with_vector)} with vectors, {FIXTURE.stat().st_size} bytes")


if __name__ == "__main__":
    main()
