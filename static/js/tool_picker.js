// Offer the tools that match what is typed into a field for the id of a tool.

const WAIT_MS = 150;

for (const field of document.querySelectorAll("input[data-tools-url]")) {
  let timer;
  let asked;

  async function offer(words) {
    asked = new AbortController();
    const url = new URL(field.dataset.toolsUrl, location.href);
    url.searchParams.set("q", words);
    try {
      const answer = await fetch(url, { signal: asked.signal, headers: { Accept: "application/json" } });
      if (!answer.ok) return;
      const { tools } = await answer.json();
      field.list.replaceChildren(...tools.map((tool) => new Option(tool.text, tool.id)));
    } catch (error) {
      if (error.name !== "AbortError") throw error;
    }
  }

  field.addEventListener("input", () => {
    clearTimeout(timer);
    asked?.abort();
    const words = field.value.trim();
    const isChosen = [...field.list.options].some((option) => option.value === words);
    if (words && !isChosen) timer = setTimeout(() => offer(words), WAIT_MS);
  });
}
