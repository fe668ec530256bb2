// Drawing no more often than the machine can.

/**
 * paced returns what asks for a drawing. It is made at once, unless the last one ended less than its own duration ago:
 * then it waits for the rest of that time. So half of the time is left to answer a person, however slow the machine is
 * and however often a drawing is asked for.
 * @param {() => void} draw
 * @param {() => number} [now] in milliseconds
 */
export function paced(draw, now = () => performance.now()) {
  let free = 0; // when the next drawing may begin
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let waiting;

  function make() {
    waiting = undefined;
    const began = now();
    draw();
    const ended = now();
    free = ended + (ended - began);
  }

  return {
    ask() {
      if (waiting !== undefined) return;
      const rest = free - now();
      if (rest > 0) waiting = setTimeout(make, rest);
      else make();
    },
    stop() {
      clearTimeout(waiting);
    },
  };
}
