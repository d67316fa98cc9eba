// Connects the forms for passkeys, `<form data-passkey="loginForm|authenticateForm|addForm">`, to allauth's script, and
// shows what went wrong. Each has a hidden field #passkey-credential, a button #passkey-button, a paragraph
// [data-passkey-error]; unless it signs in, the page has the server's options in #passkey-options, and the form that
// adds a passkey has a box #passkey-passwordless.

const ids = {
  login: "passkey-button",
  authenticate: "passkey-button",
  add: "passkey-button",
  passwordless: "passkey-passwordless",
  credential: "passkey-credential",
  data: "passkey-options",
};

const explanations = {
  NotAllowedError: "The passkey was not used: it was cancelled, or took too long. Try again.",
  InvalidStateError: "This device already has a passkey for your account.",
  SecurityError: "Browsers support passkeys only on sites with a host name and HTTPS, or on localhost.",
};

for (const form of document.querySelectorAll("form[data-passkey]")) {
  if (!window.PublicKeyCredential || !window.allauth) continue;
  window.allauth.webauthn.forms[form.dataset.passkey]({ ids });
  const error = form.querySelector("[data-passkey-error]");
  document.addEventListener("allauth.error", (event) => {
    event.preventDefault();
    const { name, message } = event.detail.exception;
    error.textContent = explanations[name] ?? message;
    error.hidden = false;
  });
}
