"""Why a backup can't be made or brought back, for the person who must act."""

from __future__ import annotations


class BackupRefused(Exception):
    """Nothing was changed. `code` is for programs."""

    def __init__(self, code: str, words: str, *, advice: str = "") -> None:
        self.code = code
        super().__init__(" ".join(f"{part.rstrip('.')}." for part in (words, advice) if part))
