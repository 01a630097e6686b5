"""The simulated devices of a demo, each on a pty of its own beside the daemon, as hardware would be."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from drivers.simulated.shoe import LoadedShoe

KEYS: Final = ("hit", "stand", "double", "split", "surrender")


class World:
    """A TableLink shoe and key panel, an Alpha sign and an ESC/POS board. They outlive any daemon."""

    def __init__(self, cards: Sequence[str], folder: Path, *, seed: int) -> None:
        from drivers.simulated.bench import PanelBench, ShoeBench, SignBench

        self._folder = folder
        self.shoe_bench = ShoeBench("tablelink", cards, seed=seed)
        self.shoe: LoadedShoe = self.shoe_bench.shoe
        self.sign, self.board = SignBench("alpha_sign", seed=seed), SignBench("escpos", seed=seed)
        self._benches: dict[str, Any] = {
            "shoe": self.shoe_bench,
            "sign": self.sign,
            "board": self.board,
            "keys": PanelBench(seed=seed),
        }
        self.paths = {name: folder / name for name in self._benches}

    @asynccontextmanager
    async def plugged_in(self) -> AsyncIterator[None]:
        """Until it is left, each device is at its path."""
        from drivers.simulated.pty_plug import PtyPlug

        plugs = []
        for name, bench in self._benches.items():
            plug = PtyPlug(bench.end, bench.faults, lambda what, path: None, link=self.paths[name])
            bench.attach(plug, lambda said: None)
            plugs.append(asyncio.create_task(plug.run(), name=f"simulated {name}"))
        try:
            while not all(path.is_symlink() for path in self.paths.values()):
                await asyncio.sleep(0.01)
            yield
        finally:
            for task in plugs:
                task.cancel()
            await asyncio.gather(*plugs, return_exceptions=True)
