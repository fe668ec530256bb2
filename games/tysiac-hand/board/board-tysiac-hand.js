// One hand of Tysiąc is played on the board of the whole game.

export { board } from "./board-tysiac.js";
