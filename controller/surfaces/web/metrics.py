"""The table in Prometheus' text form: from the public view, counts of the web's own and the devices' states alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, get_args

from controller.surfaces.web.desk import Desk
from controller.table.views import Phase, public_view
from drivers.supervisor import State

MEDIA_TYPE: Final = "text/plain; version=0.0.4"

Sample = tuple[dict[str, str], float]


def metrics_text(desk: Desk, *, inputs: Mapping[str, int], screens: Mapping[str, int], dropped: int) -> str:
    view = public_view(desk.running.table)
    devices = desk.devices()
    named = [({"device": each.device, "kind": each.kind}, each) for each in devices]
    families = (
        _family("info", "gauge", "What runs here.", [({"table": view.table, "game": view.game, "boot": desk.boot}, 1)]),
        _one("simulated", "gauge", "1 where the devices are simulated ones.", desk.simulated),
        _one("start_time_seconds", "gauge", "When the daemon was started, by the wall clock.", desk.started),
        _one("takes_input", "gauge", "0 while the journal can keep nothing.", not desk.running.trouble),
        _family("phase", "gauge", "1 for what the table is doing.", _states("phase", view.phase, get_args(Phase))),
        _one("round", "gauge", "The number of the round on the table, or of the last one.", view.round),
        _family("inputs_total", "counter", "Inputs from the web.", [({"became": k}, n) for k, n in inputs.items()]),
        _family("screens", "gauge", "Screens that look at each view.", [({"view": k}, n) for k, n in screens.items()]),
        _one("screens_dropped_total", "counter", "Screens that did not keep up.", dropped),
        _family(
            "device_state",
            "gauge",
            "1 for the state each device is in.",
            [
                ({**labels, **state}, value)
                for labels, each in named
                for state, value in _states("state", each.state, get_args(State))
            ],
        ),
        _family("device_losses_total", "counter", "How often it was lost.", [(k, each.losses) for k, each in named]),
    )
    return "".join(families)


def _one(name: str, kind: str, words: str, value: float) -> str:
    return _family(name, kind, words, [({}, value)])


def _family(name: str, kind: str, words: str, samples: Iterable[Sample]) -> str:
    lines = [f"# HELP croupier_{name} {words}", f"# TYPE croupier_{name} {kind}"]
    lines += [f"croupier_{name}{_labels(labels)} {_number(value)}" for labels, value in samples]
    return "\n".join(lines) + "\n"


def _states(label: str, now: str, states: Sequence[str]) -> list[Sample]:
    return [({label: state}, state == now) for state in states]


def _labels(labels: Mapping[str, str]) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items()) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)
