"""`croupier games card`: of a game, of a table, and what it says where there is no Chromium."""

from __future__ import annotations

from pathlib import Path

from tests.controller.cli.conftest import Croupier


def test_the_sheet_of_a_game_goes_into_a_file_or_on_the_screen(croupier: Croupier, tmp_path: Path) -> None:
    assert croupier("games", "card", "monte-carlo", "--html", "card.html").status == 0
    page = (tmp_path / "card.html").read_text()
    assert "<title>Monte Carlo Blackjack</title>" in page
    assert croupier("games", "card", "monte-carlo", "--html", "-").out == page
    other = croupier("games", "card", "monte-carlo", "-o", "decks=2", "--html", "-").out
    assert "two decks" in other


def test_the_sheet_of_a_table_has_its_limits_and_its_mark(croupier: Croupier, tmp_path: Path) -> None:
    (tmp_path / "ours.toml").write_text(croupier("check", "--print-default").out)
    page = croupier("games", "card", "--config", "ours.toml", "--html", "-").out
    assert "Bets: $10 to $500, in steps of $10" in page
    assert "SIMULATED" in page


def test_without_a_chromium_the_pdf_is_refused_in_words(croupier: Croupier, tmp_path: Path) -> None:
    asked = ("games", "card", "blackjack", "--html", "card.html", "--pdf", "card.pdf")
    done = croupier(*asked, "--browser", "no-such-browser")
    assert done.status == 4
    assert "There is no no-such-browser here to make a PDF" in done.err
    assert (tmp_path / "card.html").is_file()
    assert not (tmp_path / "card.pdf").exists()


def test_a_browser_that_makes_none_is_told(croupier: Croupier, tmp_path: Path) -> None:
    done = croupier("games", "card", "blackjack", "--pdf", "card.pdf", "--browser", "/bin/true")
    assert (done.status, "made no PDF" in done.err) == (4, True)


def test_what_is_asked_wrongly_is_said(croupier: Croupier, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("[table]\n")
    assert croupier("games", "card", "--html", "-").status == 2
    assert croupier("games", "card", "blackjack").status == 2
    assert croupier("games", "card", "blackjack", "--config", "bad.toml", "--html", "-").status == 2
    assert croupier("games", "card", "no_such_game", "--html", "-").status == 2
    assert croupier("games", "card", "--config", "bad.toml", "--html", "-").status == 7
    assert "bad.toml" in croupier("games", "card", "--config", "bad.toml", "--html", "-").err
    done = croupier("games", "card", "blackjack", "--html", "no/such/folder.html")
    assert (done.status, "can't be written" in done.err) == (2, True)
