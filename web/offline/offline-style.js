// In the place of board.js, which fetches the style sheets of boards: here they are in the page.

export function style() {}
