// Plans of any size that do nothing: wide (no edges), deep (chains side by side) and diamond (spreading, then narrowing).
import type { PlanDraft } from '#domain/plan/plan.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';

/** What each step of a plan calls. */
export type Call = Pick<StepDraft, 'tool' | 'operation'>;
export const readNoop: Call = { tool: 'control', operation: 'noop' };

const chains = 100;
const fanOut = 10;
const partitions = 10;

/** Indexes, from 0, of the steps that step `at` of `size` waits for. */
type Precedence = (at: number, size: number) => number[];

const precedences = {
  wide: () => [],
  deep: (at) => (at < chains ? [] : [at - chains]),
  /** A tree whose every step has ten successors, and after its leaves the same tree the other way round. */
  diamond(at, size) {
    const mirror = size - 1 - at;
    if (at <= mirror || mirror === at) return at === 0 ? [] : [Math.floor((at - 1) / fanOut)];
    const inner = Array.from({ length: fanOut }, (_, i) => mirror * fanOut + 1 + i)
      .filter((child) => child < size - 1 - child)
      .map((child) => size - 1 - child);
    return inner.length > 0 ? inner : [mirror];
  },
} satisfies Record<string, Precedence>;

export type Shape = keyof typeof precedences;
export const shapes = Object.keys(precedences) as Shape[];

function nameOf(at: number): string {
  return `s${at + 1}`;
}

/** A plan of `size` steps that all call the same. */
export function drawPlan(shape: Shape, size: number, call: Call = readNoop): PlanDraft {
  const precedence: Precedence = precedences[shape];
  const steps = Array.from(
    { length: size },
    (_, at): StepDraft => ({
      id: nameOf(at),
      description: `Do nothing, ${at + 1}`,
      ...call,
      partition: `part ${at % partitions}`,
      after: precedence(at, size).map(nameOf),
    }),
  );
  return { title: `${size} steps, ${shape}`, steps };
}

/** A plan that comes to rest half-way: `size` steps, one of them a question to a person that half of them wait for. */
export function drawHalf(size: number): PlanDraft {
  const middle = Math.floor(size / 2);
  const { steps } = drawPlan('wide', size);
  return {
    title: `${size} steps, half of them after an answer`,
    steps: steps.map((step, at) => {
      if (at < middle) return step;
      if (at > middle) return { ...step, after: [nameOf(middle)] };
      return { ...step, ...askPerson };
    }),
  };
}

const askPerson = {
  description: 'Ask whether to go on',
  tool: 'human',
  operation: 'task',
  args: { question: 'Go on?' },
};

/** A question to a person, `ask`, and a step after it, `go`. */
export function drawQuestion(): PlanDraft {
  return {
    title: 'One step after an answer',
    steps: [
      { id: 'ask', ...askPerson },
      { id: 'go', description: 'Do nothing', ...readNoop, after: ['ask'] },
    ],
  };
}
