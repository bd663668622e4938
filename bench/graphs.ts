// No-op plans of any size: wide (no edges), deep (parallel chains) and diamond (spreading, then narrowing).
import type { PlanDraft } from '#domain/plan/plan.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';

export type Call = Pick<StepDraft, 'tool' | 'operation'>;
export const readNoop: Call = { tool: 'control', operation: 'noop' };

const chains = 100;
const fanOut = 10;
const partitions = 10;

/** Indexes from 0 of the prerequisites of step `at` of `size`. */
type Precedence = (at: number, size: number) => number[];

const precedences = {
  wide: () => [],
  deep: (at) => (at < chains ? [] : [at - chains]),
  /** A tree with ten successors per step, then its mirror image. */
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

/** A plan of `size` steps that all make the same call. */
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

/** A plan that stops half-way: half of its `size` steps wait for a question to a person. */
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
