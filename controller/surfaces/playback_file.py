"""A playback as one HTML file that is whole in itself: it plays in any browser, offline, years later.

Made of the same player that the pit page has. Its policy allows its own script and style by their hashes, and nothing
else: no text of the round can become code.
"""

from __future__ import annotations

import base64
import hashlib
import html
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from controller.surfaces import pages
from controller.surfaces.playback import Playback

ROOT: Final = Path(pages.__file__).parent
LANGUAGES: Final = ("en", "es")
_SCRIPTS: Final = ("cards.js", "money.js", "playback.js")  # modules that import nothing, one behind the other
_STYLES: Final = ("base.css", "playback.css")
_START: Final = """
const held = (id) => JSON.parse(document.getElementById(id).textContent);
const words = held("texts");
const t = (key, values = {}) => (words[key] ?? key).replace(/{(\\w+)}/g, (whole, name) => values[name] ?? whole);
play(document.getElementById("player"), held("round"), {
  t, lang: document.documentElement.lang, cardElement, money, signed,
});
"""
_FILE: Final = """\
<!doctype html>
<html lang="{lang}"{simulated}>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body class="playback-file">
<main id="player"></main>
<script type="application/json" id="texts">{texts}</script>
<script type="application/json" id="round">{told}</script>
<script type="module">{script}</script>
</body>
</html>
"""


class Made(Struct, frozen=True):
    html: bytes
    policy: str


def playback_file(told: Playback, lang: str) -> Made:
    style, script = (_joined(names) for names in (_STYLES, _SCRIPTS))
    script += _START
    policy = f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; base-uri 'none'"
    text = _FILE.format(
        lang=lang,
        simulated=" data-simulated" if told.simulated else "",
        policy=html.escape(policy),
        title=html.escape(f"{told.table}: {told.round}"),
        style=style,
        texts=_data((ROOT / "texts" / lang / "playback.json").read_bytes()),
        told=_data(msgspec.json.encode(told)),
        script=script,
    )
    return Made(text.encode(), f"{policy}; form-action 'none'; frame-ancestors 'none'")


def _joined(names: tuple[str, ...]) -> str:
    return "\n".join((ROOT / name).read_text() for name in names)


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _data(text: bytes) -> str:
    """JSON that can't end the element it stands in, whatever somebody gave as a reason."""
    return text.decode().replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
