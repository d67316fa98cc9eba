// Start Swagger UI in the theme of the site. A change that somebody tries is sent with the token that protects their session.

const root = document.documentElement;
const systemIsDark = matchMedia("(prefers-color-scheme: dark)");

function followTheme() {
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : systemIsDark.matches;
  root.classList.toggle("dark-mode", isDark);
}

followTheme();
systemIsDark.addEventListener("change", followTheme);
new MutationObserver(followTheme).observe(root, { attributeFilter: ["data-theme"] });

const csrfToken = document.querySelector("[name=csrfmiddlewaretoken]")?.value;

SwaggerUIBundle({
  domNode: document.querySelector("#swagger-ui"),
  url: document.querySelector("#swagger-ui").dataset.document,
  deepLinking: true,
  docExpansion: "none",
  defaultModelsExpandDepth: -1,
  validatorUrl: null,
  requestInterceptor(request) {
    if (csrfToken) request.headers["X-CSRFToken"] = csrfToken;
    return request;
  },
});
