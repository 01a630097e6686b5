"""Coverage-guided fuzzing of every decoder and both ends of TableLink: `make fuzz`.

Needs `atheris`, which has wheels for Linux on x86-64 only and is therefore no dependency of anything else. Any bytes
must give values or `BadFrame`, the same in every cutting, with no more kept than stated.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable
from typing import Any, Final

from firmware_protocol import alpha, angel_eye, bee_tek, escpos, line_reader
from firmware_protocol.tablelink.capture import CaptureDecoder
from firmware_protocol.tablelink.device import Described, DeviceLink
from firmware_protocol.tablelink.framing import MAX_BODY, encode_frame
from firmware_protocol.tablelink.host import HostLink

CARDS: Final = line_reader.CardMap([("1", "AS"), ("22", "TD")])
DECODERS: Final[dict[str, Callable[[], Any]]] = {
    "tablelink": CaptureDecoder,
    "angel_eye": angel_eye.Decoder,
    "bee_tek": bee_tek.Decoder,
    "line_reader": lambda: line_reader.Decoder(CARDS),
    "alpha_sign": alpha.Decoder,
    "escpos": escpos.Decoder,
}


def fuzz_decoder(make: Callable[[], Any], data: bytes) -> None:
    """The first byte says where to cut; the rest is the stream."""
    if not data:
        return
    step, stream = data[0] % 7 + 1, data[1:]
    whole, cut = make(), make()
    at_once = whole.feed(stream) + whole.close()
    in_pieces = []
    for start in range(0, len(stream), step):
        in_pieces += cut.feed(stream[start : start + step])
        assert cut.kept <= cut.max_kept, "keeps more than it states"
    in_pieces += cut.close()
    assert at_once == in_pieces, "the cutting of the stream matters"


def fuzz_links(data: bytes) -> None:
    """Both ends, with a key and without, are told any bodies at all; framed here, for a CRC stops a fuzzer."""
    frames = data
    while data:
        size = data[0] % MAX_BODY + 1
        body, data = data[1 : size + 1], data[size + 1 :]
        frames += encode_frame(body) if body else b""
    for key in (None, b"k" * 16):
        host = HostLink(fresh=lambda: bytes(8), key=key)
        device = DeviceLink(Described(serial="S1", roles=1), boot=1, fresh=lambda: bytes(8), key=key)
        host.connected(0.0)
        for end in (host, device):
            end.receive(frames, 1.0)
            end.poll(2.0)
            end.data_to_send(2.0)


TARGETS: Final[dict[str, Callable[[bytes], None]]] = {
    **{name: (lambda data, make=make: fuzz_decoder(make, data)) for name, make in DECODERS.items()},  # type: ignore[misc]
    "tablelink_links": fuzz_links,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="hil.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--target", choices=TARGETS, help="only this one, in this process")
    asked = parser.parse_args()
    if asked.target:
        import atheris  # type: ignore[import-not-found,import-untyped,unused-ignore]

        atheris.instrument_all()
        options = [sys.argv[0], f"-max_total_time={asked.seconds}", "-max_len=400", "-verbosity=0"]
        atheris.Setup(options, TARGETS[asked.target])
        atheris.Fuzz()
    failed = []
    for name in TARGETS:
        print(f"fuzz: {name} for {asked.seconds} s", flush=True)
        command = [sys.executable, "-m", "hil.fuzz", "--target", name, "--seconds", str(asked.seconds)]
        if subprocess.run(command, check=False).returncode:
            failed.append(name)
    print(
        f"fuzz: {len(TARGETS) - len(failed)} passed, {len(failed)} failed{': ' + ', '.join(failed) if failed else ''}"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
