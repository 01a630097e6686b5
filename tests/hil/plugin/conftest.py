"""Runs pytest with the plugin as a firmware engineer does: in a process of its own, in a folder of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from drivers.simulated.bench import Bench
from drivers.simulated.pty_plug import PtyPlug

INI = """
[pytest]
addopts = -p hil.plugin -p no:cacheprovider --strict-markers -rsfE --tb=short
filterwarnings = error
asyncio_mode = auto
asyncio_default_fixture_loop_scope = function
"""


class Far:
    """A device on a pty that the run under test takes for its hardware."""

    def __init__(self, bench: Bench, path: Path) -> None:
        self.bench, self.path = bench, path
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._plug = PtyPlug(bench.end, bench.faults, lambda what, path: None, link=path, simulated=False)
        bench.attach(self._plug, lambda said: None)

    def start(self) -> None:
        self._thread.start()

        async def begin() -> None:
            self._running = [asyncio.create_task(work) for work in (self._plug.run(), self.bench.live())]
            self._stimulus = await asyncio.start_server(self._ordered, "127.0.0.1", 0)
            while not self.path.is_symlink():
                await asyncio.sleep(0.01)

        asyncio.run_coroutine_threadsafe(begin(), self._loop).result(30)

    def close(self) -> None:
        async def end() -> None:
            self._stimulus.close()
            for task in self._running:
                task.cancel()
            await asyncio.gather(*self._running, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(end(), self._loop).result(30)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def stimulus(self) -> str:
        """The address at which it takes orders, as a rig at a real device would."""
        return f"socket://127.0.0.1:{self._stimulus.sockets[0].getsockname()[1]}"

    async def _ordered(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            await self.bench.told(line.decode())
        writer.close()


class Farm:
    """Devices at ports, as many as a test asks for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._there: list[Far] = []

    def plug(self, name: str, bench: Bench) -> Far:
        far = Far(bench, self._folder / name)
        far.start()
        self._there.append(far)
        return far

    def close(self) -> None:
        for far in self._there:
            far.close()


@pytest.fixture
def farm(tmp_path: Path) -> Iterator[Farm]:
    farm = Farm(tmp_path)
    try:
        yield farm
    finally:
        farm.close()


class Desk:
    """A folder with a bench file and tests, and what came of a run."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        pytester.makeini(INI)

    def bench(self, text: str) -> None:
        (self.pytester.path / "bench.toml").write_text(text)

    def run(self, source: str, *more: str) -> pytest.RunResult:
        self.pytester.makepyfile(source)
        named = ["--bench", "bench.toml"] if (self.pytester.path / "bench.toml").exists() else []
        return self.pytester.runpytest_subprocess(*named, *more, timeout=120)

    def contracts(self) -> pytest.RunResult:
        return self.pytester.runpytest_subprocess(
            "--bench", "bench.toml", "-v", "--pyargs", "hil.contracts", timeout=120
        )

    def artefacts(self, test: str) -> Path:
        (found,) = [each for each in (self.pytester.path / "bench-artefacts").iterdir() if test in each.name]
        return found


@pytest.fixture
def desk(pytester: pytest.Pytester) -> Desk:
    return Desk(pytester)
