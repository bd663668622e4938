// No-op plans of any size: wide, deep, diamond.
import type { PlanDraft } from '#domain/plan/plan.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';

export type Call = Pick<StepDraft, 'tool' | 'operation'>;
export const readNoop: Call = { tool: 'control', operation: 'noop' };

const chains = 100;
const fanOut = 10;
const partitions = 10;

/** Prerequisites of step `at`, from 0. */
type Precedence = (at: number, size: number) => number[];

const precedences = {
  wide: () => [],
  deep: (at) => (at < chains ? [] : [at - chains]),
  /** Ten successors per step, then mirrored. */
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

/** All make the same call. */
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

/** Half of the steps wait for a person. */
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

/** `ask`, then `go`. */
export function drawQuestion(): PlanDraft {
  return {
    title: 'One step after an answer',
    steps: [
      { id: 'ask', ...askPerson },
      { id: 'go', description: 'Do nothing', ...readNoop, after: ['ask'] },
    ],
  };
}
