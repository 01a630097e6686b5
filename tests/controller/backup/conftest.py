"""The small disk of the journal's tests."""

from tests.controller.store.conftest import small_disk

__all__ = ["small_disk"]
