"""Stacked areas of statuses, or tiers, over months, as an SVG of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Final

WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 860, 420, 60, 40, 50
STATUS_COLOURS: Final = {
    "active": "#2a9d6f",
    "stale": "#e0a526",
    "inactive": "#8d99ae",
    "pending": "#5b8def",
    "rejected": "#c44536",
    "superseded": "#7d5ba6",
    "archived": "#c9ced6",
    "quarantined": "#222831",
}
TIER_COLOURS: Final = {"hot": "#c44536", "warm": "#e0a526", "cold": "#5b8def", "frozen": "#8d99ae"}
LEGEND_WIDTH: Final = 150


def chart(months: Sequence[Mapping[str, Any]], kind: str, colours: Mapping[str, str]) -> str:
    """Args: months: each with `month` and `kind`, counts by name; colours: by name, from the bottom up."""
    names = [name for name in colours if any(month[kind][name] for month in months)]
    total = max(sum(month[kind].values()) for month in months)
    plot = WIDTH - LEFT - LEGEND_WIDTH
    across = [LEFT + plot * number / max(1, len(months) - 1) for number in range(len(months))]
    floors = [0.0] * len(months)
    parts = []
    for name in names:
        tops = [floor + month[kind][name] for floor, month in zip(floors, months, strict=True)]
        parts.append(_area(across, floors, tops, total, colours[name]))
        floors = tops
    labels = [
        _text(x, HEIGHT - BOTTOM + 18, month["month"][-5:], "middle")
        for x, month in zip(across, months, strict=True)
    ]
    legend = [
        part for number, name in enumerate(reversed(names)) for part in _legend(number, name, colours[name])
    ]
    scale = [_text(LEFT - 8, _y(count, total) + 4, f"{count:,}", "end") for count in (0, total // 2, total)]
    title = _text(LEFT, 22, f"Memories by {kind} at the end of each month", "start")
    size, font = f'viewBox="0 0 {WIDTH} {HEIGHT}"', 'font-family="sans-serif" font-size="12"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {font}>'
    return "\n".join(
        [
            head,
            '<rect width="100%" height="100%" fill="#fff"/>',
            title,
            *parts,
            *labels,
            *scale,
            *legend,
            "</svg>\n",
        ]
    )


def _area(
    across: Sequence[float], floors: Sequence[float], tops: Sequence[float], total: int, colour: str
) -> str:
    there = [f"{x:.1f},{_y(top, total):.1f}" for x, top in zip(across, tops, strict=True)]
    back = [f"{x:.1f},{_y(floor, total):.1f}" for x, floor in zip(across, floors, strict=True)]
    return f'<polygon points="{" ".join([*there, *reversed(back)])}" fill="{colour}"/>'


def _y(count: float, total: int) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * count / total


def _legend(number: int, name: str, colour: str) -> tuple[str, str]:
    x, y = WIDTH - LEGEND_WIDTH + 20, TOP + 22 * number
    return f'<rect x="{x}" y="{y}" width="14" height="14" fill="{colour}"/>', _text(
        x + 20, y + 12, name, "start"
    )


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="#222">{escape(text)}</text>'
