// Runs work at most once per interval; early requests wait together.
export class Throttle {
  readonly #everyMs: number;
  readonly #work: () => Promise<void>;
  /** By `performance.now()`. */
  #last = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  /** @param work must not throw */
  constructor(everyMs: number, work: () => Promise<void>) {
    this.#everyMs = everyMs;
    this.#work = work;
  }

  isDue(now: number): boolean {
    return now >= this.#last + this.#everyMs;
  }

  request(): void {
    if (this.#timer !== undefined) return;
    const wait = Math.max(0, this.#last + this.#everyMs - performance.now());
    this.#timer = setTimeout(() => void this.flush(), wait);
  }

  note(at: number): void {
    this.cancel();
    this.#last = at;
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async flush(): Promise<void> {
    if (this.#timer === undefined) return;
    this.note(performance.now());
    await this.#work();
  }
}
