// The frame of every page: the theme, and the menu of a narrow window. It is loaded before anything is
// painted, so that the page never shows first in the other theme.

const THEME = "theme"; // in the browser's storage: "light" or "dark", nothing where the system's is followed

const systemDark = matchMedia("(prefers-color-scheme: dark)");

function storedTheme() {
  try {
    return localStorage.getItem(THEME) ?? "";
  } catch {
    return "";
  }
}

/** @param {string} theme "" to follow the system */
function storeTheme(theme) {
  try {
    if (theme) localStorage.setItem(THEME, theme);
    else localStorage.removeItem(THEME);
  } catch {
    // chosen for this page only
  }
}

/** @param {string} theme */
function applyTheme(theme) {
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

const isDark = () => (document.documentElement.dataset.theme ?? (systemDark.matches ? "dark" : "light")) === "dark";

function watchTheme() {
  const button = document.getElementById("theme");
  const tell = () => button?.setAttribute("aria-pressed", String(isDark()));
  button?.addEventListener("click", () => {
    const theme = isDark() ? "light" : "dark";
    // What the system would choose is not a choice: the page continues following it.
    const chosen = (theme === "dark") === systemDark.matches ? "" : theme;
    applyTheme(chosen);
    storeTheme(chosen);
    tell();
  });
  systemDark.addEventListener("change", tell);
  addEventListener("storage", ({ key }) => {
    if (key !== THEME) return;
    applyTheme(storedTheme());
    tell();
  });
  tell();
}

// In a narrow window the entries of the navigation are folded below a button.
function watchMenu() {
  const button = document.getElementById("menu");
  const pages = document.getElementById("pages");
  if (!button || !pages) return;
  const open = (/** @type {boolean} */ yes) => {
    button.setAttribute("aria-expanded", String(yes));
    pages.classList.toggle("open", yes);
  };
  button.addEventListener("click", () => open(button.getAttribute("aria-expanded") !== "true"));
  addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || button.getAttribute("aria-expanded") !== "true") return;
    open(false);
    button.focus();
  });
}

function watchLogout() {
  document.getElementById("logout")?.addEventListener("click", async () => {
    await fetch("/api/logout", { method: "POST" });
    location.assign("/login");
  });
}

document.documentElement.dataset.scripts = ""; // without them, the menu stays unfolded
applyTheme(storedTheme());
addEventListener("DOMContentLoaded", () => {
  watchTheme();
  watchMenu();
  watchLogout();
});
