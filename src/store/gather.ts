// Asking the database for several at once: what is asked in one turn, or while a statement is under way, shares the next.

export type Gathering<Ask, Answer> = {
  /** Two with one key are never asked together; and those that are stand in the order of their keys. */
  keyOf(ask: Ask): string;
  atMost: number;
  /** Answers in the order of `asks`. Ends in bounded time: whatever is asked meanwhile waits for it. */
  together(asks: Ask[]): Promise<Answer[]>;
  /** Where all together failed with an error for which some may have an answer alone. Left out: they fail together. */
  apart?: { is(error: unknown): boolean; alone(ask: Ask): Promise<Answer> };
};

type Waiting<Ask, Answer> = {
  ask: Ask;
  key: string;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
};

/** Which of those that wait are asked now, in the order of their keys. Pure. */
export function chooseTogether<W extends { key: string }>(
  waiting: W[],
  atMost: number,
): { now: W[]; later: W[] } {
  const now = new Map<string, W>();
  const later: W[] = [];
  for (const one of waiting) {
    if (now.size >= atMost || now.has(one.key)) later.push(one);
    else now.set(one.key, one);
  }
  return { now: [...now.values()].sort((a, b) => (a.key < b.key ? -1 : 1)), later };
}

/** A function that asks for one, with as few statements as it can. */
export function gather<Ask, Answer>(
  gathering: Gathering<Ask, Answer>,
): (ask: Ask) => Promise<Answer> {
  const { keyOf, atMost, together, apart } = gathering;
  let waiting: Waiting<Ask, Answer>[] = [];
  let asking = false;

  async function askNow(now: Waiting<Ask, Answer>[]): Promise<void> {
    try {
      const answers = await together(now.map(({ ask }) => ask));
      if (answers.length !== now.length) throw new Error('gather: not every ask has an answer');
      for (const [i, answer] of answers.entries()) now[i]?.resolve(answer);
    } catch (error) {
      // Nobody waits for these but who asked: one may take long.
      if (apart?.is(error) === true)
        for (const one of now) apart.alone(one.ask).then(one.resolve, one.reject);
      else for (const { reject } of now) reject(error);
    }
  }

  async function askOnAndOn(): Promise<void> {
    while (waiting.length > 0) {
      const { now, later } = chooseTogether(waiting, atMost);
      waiting = later;
      await askNow(now);
    }
    asking = false;
  }

  return (ask) =>
    new Promise((resolve, reject) => {
      waiting.push({ ask, key: keyOf(ask), resolve, reject });
      if (asking) return;
      asking = true;
      setImmediate(() => void askOnAndOn());
    });
}
