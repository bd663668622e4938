// How often something happened within the last fraction of a second.

/** It is counted over this long (milliseconds), and over as long before. */
const intervalMs = 250;

export class Pace {
  #since = Number.NEGATIVE_INFINITY;
  #now = 0;
  #before = 0;

  count(): void {
    this.#turn();
    this.#now++;
  }

  /** How often in the last 250 to 500 ms. */
  get lately(): number {
    this.#turn();
    return this.#now + this.#before;
  }

  #turn(): void {
    const now = performance.now();
    const past = now - this.#since;
    if (past < intervalMs) return;
    this.#before = past < 2 * intervalMs ? this.#now : 0;
    this.#now = 0;
    this.#since = now;
  }
}
