// Says one row of the table of utterances to a planner without a model, and writes down what came of it.
import type { StepDraft } from '#domain/plan/plan.ts';
import type { PlanningOutcome } from '#domain/planning/run.ts';
import { createPlanner } from '#planner/create-planner.ts';
import { builtins, everythingServer, fsServer, memoryServer, toolsOf } from './manifest.ts';
import { limits } from './planners.ts';
import { converse, plan, proposalOf } from './requests.ts';
import { type Place, places, type Utterance } from './utterances.ts';

const servers = {
  builtins,
  fs: fsServer,
  'fs+builtins': [...fsServer, ...builtins],
  all: [...builtins, ...everythingServer, ...memoryServer],
};
const clock = { now: () => new Date('2026-03-04T10:00:00Z') };

export function plannerAt({ files, tools = 'builtins' }: Place) {
  return createPlanner({ tools: toolsOf(servers[tools], files), model: null, limits, clock });
}

/** Several turns are a conversation; behind `⟩⟩` stands a change of the plan before it. */
export async function runUtterance({ place, say }: Utterance): Promise<string[]> {
  const where = places[place];
  if (where === undefined) throw new Error(`there is no place ${place}`);
  const planner = plannerAt(where);
  const timezone = where.timezone ?? 'Europe/Berlin';
  const [asked = '', feedback] = say.replaceAll('⏎', '\n').split(' ⟩⟩ ');
  const turns = asked.split(' ⟩ ');
  const outcome =
    turns.length === 1 ? await plan(planner, asked, { timezone }) : await converse(planner, turns);
  if (feedback === undefined) return describeOutcome(outcome);
  const previous = proposalOf(outcome);
  return describeOutcome(
    await plan(planner, feedback, { timezone, revision: { previous, feedback: [feedback] } }),
  );
}

const call = ({ tool, operation, args }: StepDraft) =>
  `${tool}_${operation} ${JSON.stringify(args ?? {})}`;

function describeStep(step: StepDraft): string {
  const after = (step.after ?? []).map((edge) =>
    typeof edge === 'string'
      ? edge
      : `${edge.id}${edge.type === 'FS' ? '' : ` ${edge.type}`}${edge.lag_minutes ? `+${edge.lag_minutes}` : ''}`,
  );
  const when = [step.when ?? []].flat().map((one) => `${one.step}=${String(one.value)}`);
  return [
    `${step.id} ${call(step)}`,
    ...(after.length > 0 ? [`<- ${after.join(',')}`] : []),
    ...(when.length > 0 ? [`if ${when.join(',')}`] : []),
    ...(step.not_before ? [`@${new Date(step.not_before).toISOString()}`] : []),
  ].join(' ');
}

function describeOutcome({ result }: PlanningOutcome): string[] {
  switch (result.kind) {
    case 'proposal':
      return [
        ...result.draft.steps.map(describeStep),
        ...(result.draft.series ?? []).map(
          ({ rrule, until, steps }) =>
            `series ${rrule}${until ? ` until ${until}` : ''}: ${steps.map(call).join('; ')}`,
        ),
      ];
    case 'question':
      return ['asks'];
    case 'cannot':
      return ['refuses'];
    case 'answer':
      return [`answers ${result.text.replaceAll('\n', '⏎').slice(0, 80).trimEnd()}`];
    default:
      return [result.kind];
  }
}
