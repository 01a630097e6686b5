"""What a person would see: contrast, and whether something stands out of its box. Worked out in the browser."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

# The WCAG's formula. A background is the first one behind the element that is not transparent.
CONTRASTS = """
() => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((each) => each / 255)
    .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4))
    .reduce((sum, each, place) => sum + each * [0.2126, 0.7152, 0.0722][place], 0);
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = numbers(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const element = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || !element.checkVisibility({visibilityProperty: true})) continue;
    const [one, other] = [numbers(getComputedStyle(element).color), ground(element)].map(light);
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    found.push([walk.currentNode.data.trim(), ratio]);
  }
  return found;
}
"""

OUTSIDE = """
() => [...document.body.querySelectorAll("*")]
  .filter((each) => each.checkVisibility({visibilityProperty: true}) && each.getClientRects().length)
  .filter((each) => {
    const box = each.getBoundingClientRect();
    return box.left < -1 || box.top < -1 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1;
  })
  .map((each) => `${each.tagName}.${each.className}#${each.id}: ${each.textContent.slice(0, 40)}`)
"""

# How high the ink of an element's text is: a canvas draws it in the same font.
INK = """
(element) => {
  const pen = document.createElement("canvas").getContext("2d");
  const style = getComputedStyle(element);
  pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  const digits = element.textContent.replace(/\\D/g, "").split("").map((each) => pen.measureText(each));
  return Math.min(...digits.map((each) => each.actualBoundingBoxAscent + each.actualBoundingBoxDescent));
}
"""


def contrasts(page: Page) -> dict[str, float]:
    """The ratio of every text that can be seen."""
    found: list[Any] = page.evaluate(CONTRASTS)
    return dict(found)


def outside(page: Page) -> list[str]:
    """What stands out of the window."""
    found: list[str] = page.evaluate(OUTSIDE)
    return found


def ink_height(page: Page, selector: str) -> float:
    """Of the lowest digit, as it is drawn."""
    found: float = page.locator(selector).evaluate(INK)
    return found
