// What the browser remembers for this page, where it lets us.

/**
 * recall returns what was kept under a key, null where there is nothing.
 * @param {string} key
 * @returns {any}
 */
export function recall(key) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null");
  } catch { // no storage, or another program's text in it
    return null;
  }
}

/**
 * keep remembers a value, or forgets what was kept: null.
 * @param {string} key
 * @param {unknown} value
 */
export function keep(key, value) {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
  } catch { // without storage it holds until the page is left
  }
}
