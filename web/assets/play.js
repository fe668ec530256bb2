// The page Play. Its fragment says where a person is: nothing (choosing), a table with a key, or
// joining one. Keys stay in fragments, which browsers do not send, and in the browser's storage.

import { byId } from "./dom.js";
import { choosing } from "./play-choose.js";
import { joining } from "./play-join.js";
import { sitting } from "./table.js";

const PARTS = /** @type {const} */ (["choose", "join", "table"]);

/** @type {(() => void) | null} */
let leave = null;

/** @param {typeof PARTS[number]} part */
function open(part) {
  for (const name of PARTS) byId(name).hidden = name !== part;
}

function route() {
  leave?.();
  const place = new URLSearchParams(location.hash.slice(1));
  if (place.has("table")) {
    open("table");
    leave = sitting(place);
  } else if (place.has("join")) {
    open("join");
    leave = joining(place.get("join") ?? "");
  } else if (document.documentElement.dataset.guest !== undefined) {
    location.replace("/login?next=/play"); // a guest is at a table, or nowhere
  } else {
    open("choose");
    leave = choosing();
  }
}

// The page does not follow the run; a table tells of its own connection.
document.getElementById("link")?.remove();
addEventListener("hashchange", route);
route();
