"""One round of each game to be told, as round scripts. The first is the worked example of Power Blackjack."""

from __future__ import annotations

from typing import Any, Final

ROUNDS: Final[tuple[dict[str, Any], ...]] = (
    {
        "game": "power_blackjack",
        "title": "The worked example: a power split, a power double rolled over, and a table push on 22",
        "seats": [{"seat": 1, "bet": "10"}, {"seat": 2, "bet": "10"}, {"seat": 3, "bet": "10"}],
        "shoe": ["10S", "6S", "AS", "AC", "5H", "5D", "KH", "3D", "7C", "5C", "JD", "AD", "4C", "3S", "9H", "6C"],
        "actions": [
            [1, 1, "power_split"],
            [1, 1, "stand"],
            [1, 2, "double"],
            [2, 1, "power_double"],
            [2, 1, "rollover"],
        ],
    },
    {
        "game": "super_fun_21_extreme",
        "title": "A diamond blackjack, a re-double, a surrender and an instant winner",
        "seats": [
            {"seat": 1, "bet": "10", "side": {"precious_diamond": "1"}},
            {"seat": 2, "bet": "10"},
            {"seat": 3, "bet": "15"},
            {"seat": 4, "bet": "10"},
        ],
        "shoe": ["AD", "6S", "10C", "2H", "9H", "KD", "5C", "6D", "3S", "8S", "2D", "8C", "4D", "5S", "7D", "6H"],
        "actions": [
            [2, 1, "double"],
            [2, 1, "redouble"],
            [2, 1, "stand"],
            [3, 1, "surrender"],
            [4, 1, "hit"],
            [4, 1, "hit"],
            [4, 1, "hit"],
        ],
    },
    {
        "game": "monte_carlo",
        "title": "Cards face down: a natural paid last, a double nobody sees, eights split to a third hand",
        "seats": [{"seat": 1, "bet": "5"}, {"seat": 2, "bet": "10"}, {"seat": 3, "bet": "10"}],
        "shoe": ["AS", "6H", "8S", "10C", "KD", "4D", "8H", "6D", "10H", "8D", "2C", "10S", "9C", "7S", "KS"],
        "actions": [
            [2, 1, "double"],
            [3, 1, "split"],
            [3, 1, "split"],
            [3, 1, "stand"],
            [3, 2, "hit"],
            [3, 2, "stand"],
            [3, 3, "stand"],
        ],
    },
    {
        "game": "chinese_fortune_21",
        "title": "Ten, Eleven or Bust: both phases, the dealer drawing only for the side bet",
        "seats": [{"seat": 1, "bet": "10", "side": {"ten_eleven_or_bust": "5"}}, {"seat": 2, "bet": "10"}],
        "shoe": ["6S", "KD", "2D", "5S", "AC", "3C", "4H", "8C", "4S", "5D", "KH"],
        "actions": [[1, 1, "hit"], [1, 1, "hit"]],
    },
    {
        "game": "blackjack",
        "title": "Insurance, a perfect pair, split aces, and a blackjack paid 3 to 2",
        "seats": [{"seat": 1, "bet": "10", "side": {"perfect_pairs": "2"}}, {"seat": 2, "bet": "5"}],
        "shoe": ["AS", "KC", "AD", "AS", "AH", "5C", "9D", "8H", "7S", "4C"],
        "actions": [[2, 0, "insurance", "5/2"], [1, 1, "split"]],
    },
)
