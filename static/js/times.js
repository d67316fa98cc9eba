// Update relative times ("5 minutes ago") while the page is open, and show the local time in their titles.

const words = new Intl.RelativeTimeFormat("en", { numeric: "always" });
const UNITS = [["year", 31_536_000], ["month", 2_592_000], ["day", 86_400], ["hour", 3600], ["minute", 60]];
const REFRESH_MS = 30_000;

function relative(seconds) {
  for (const [unit, size] of UNITS) {
    const number = Math.trunc(seconds / size - (seconds < 0 ? 0.1 : 0)); // as in `relative_time`
    if (number !== 0) return words.format(-number, unit);
  }
  return "just now";
}

function refresh() {
  for (const time of document.querySelectorAll("time.relative")) {
    const at = new Date(time.dateTime);
    const text = relative((Date.now() - at.getTime()) / 1000);
    if (time.textContent !== text) time.textContent = text;
    time.title = at.toLocaleString();
  }
}

refresh();
setInterval(refresh, REFRESH_MS);
document.addEventListener("htmx:after:swap", refresh);
document.addEventListener("toolshelf:times", refresh);
