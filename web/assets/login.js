// The page on which one logs in: by name and password, by a token, or by a link whose fragment is a token
// (browsers send fragments to no server).

import { byId } from "./dom.js";
import { ask, sentence } from "./table-link.js";

// destination is the page that was asked for. It is one of this server: a link to /login cannot lead elsewhere.
function destination() {
  const next = new URL(new URLSearchParams(location.search).get("next") ?? "/", location.origin);
  return next.origin === location.origin && next.pathname !== "/login" ? next.pathname + next.search + next.hash : "/";
}

/** @param {Record<string, string>} proof */
async function logIn(proof) {
  const problem = byId("login-problem");
  problem.hidden = true;
  try {
    await ask("/api/login", proof);
    location.replace(destination());
  } catch (refusal) {
    problem.textContent = sentence(refusal);
    problem.hidden = false;
  }
}

for (const form of document.forms) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    logIn(/** @type {Record<string, string>} */ (Object.fromEntries(new FormData(form))));
  });
}

const token = new URLSearchParams(location.hash.slice(1)).get("token");
if (token) {
  history.replaceState(null, "", location.pathname + location.search); // it is not kept among the pages visited
  logIn({ token });
} else if (document.documentElement.dataset.guest === undefined) {
  location.replace(destination()); // somebody who has come in already
} else if (!sessionStorage.getItem("login")) {
  // A link from elsewhere does not send the cookie (SameSite=Strict); this page's own request does.
  sessionStorage.setItem("login", "tried");
  location.reload();
}
