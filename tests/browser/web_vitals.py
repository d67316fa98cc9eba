"""The speed of a page for a visitor, as the browser reports it: when it shows, whether it moves, how soon it reacts.

Sources: the Largest Contentful Paint, Layout Instability and Event Timing APIs of the W3C.
"""

from __future__ import annotations

from playwright.sync_api import BrowserContext, Page

OBSERVE = """
window.vitals = { paint: 0, shifts: [], interactions: [] };
const observe = (type, read, options = {}) =>
  new PerformanceObserver((list) => list.getEntries().forEach(read)).observe({ type, buffered: true, ...options });
observe("largest-contentful-paint", (entry) => { vitals.paint = entry.startTime; });
observe("layout-shift", (entry) => {
  if (entry.hadRecentInput) return;
  const moved = entry.sources.map(({ node, previousRect, currentRect }) => {
    const element = node?.nodeType === Node.TEXT_NODE ? node.parentElement : node;
    const name = element ? `${element.tagName.toLowerCase()}.${element.className}` : "a removed element";
    const place = ({ x, y, width, height }) => `${width} x ${height} at ${x},${y}`;
    return `${name} from ${place(previousRect)} to ${place(currentRect)}`;
  });
  vitals.shifts.push({ value: entry.value, moved });
});
observe("event", (entry) => {
  if (entry.interactionId) vitals.interactions.push(entry.duration);
}, { durationThreshold: 16 });
"""


def observe_vitals(context: BrowserContext) -> None:
    """Let all pages of `context` collect what the other functions read."""
    context.add_init_script(OBSERVE)


def settle(page: Page) -> None:
    """Wait until all that the page asks for is there and shown."""
    page.wait_for_load_state("networkidle")
    page.evaluate(
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))"
    )


def scroll_through(page: Page) -> None:
    """Scroll to the end as a reader does, so that parts load which load when they come into view."""
    position = 0
    while position < page.evaluate("document.documentElement.scrollHeight - innerHeight"):
        position += page.evaluate("Math.round(innerHeight / 2)")
        page.evaluate("(top) => scrollTo({ top, behavior: 'instant' })", position)
        settle(page)


def layout_shifts(page: Page) -> tuple[float, str]:
    """The sum of the scores of all shifts that no input caused, and what moved."""
    shifts = page.evaluate("vitals.shifts")
    return sum(shift["value"] for shift in shifts), "; ".join(
        ", ".join(shift["moved"]) for shift in shifts
    )
