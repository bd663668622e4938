// Everything about a plan's steps: the call each makes, with the arguments that were approved or will be.
import { cleanLine, cutText } from '#cards/plain.ts';
import type { PlanView } from '#cards/view.ts';
import { confidenceWord } from '#cards/words.ts';
import type { Step } from '#contracts/plan.ts';
import { operationName } from '#contracts/tool.ts';
import { hangText, type Screen } from './screen.ts';
import type { Session } from './session.ts';

const pageSize = 100;
const argumentsAtMost = 2000;

const effects: Record<Step['effect'], string> = {
  read: 'reads only',
  idempotent: 'safe to repeat',
  write: 'changes something',
};

function drawStep(step: Step, screen: Screen): string[] {
  const width = screen.width();
  const after = step.after.map(({ id }) => cleanLine(id)).join(', ');
  const facts = [
    operationName(step.tool, step.operation),
    ...(step.guarded ? ['🛡 guarded'] : []),
    effects[step.effect],
    ...(after === '' ? [] : [`after ${after}`]),
    step.status,
  ].join(' · ');
  const args = cutText(cleanLine(JSON.stringify(step.args)), argumentsAtMost);
  const head = screen.style('bold', cleanLine(step.id));
  return [
    ...hangText(`${head}  ${cleanLine(step.description)}`, '  ', '     ', width),
    ...hangText(screen.style('dim', facts), '     ', '     ', width),
    ...hangText(args, '     ', '     ', width),
    ...(step.result_summary === null
      ? []
      : hangText(cleanLine(step.result_summary), '     ', '     ', width)),
    ...(step.error === null
      ? []
      : hangText(cleanLine(step.error.message), '     ', '     ', width)),
  ];
}

/** Prints the digest, the confidence as a number and the first hundred steps in full. */
export async function showDetails(session: Session, view: PlanView): Promise<void> {
  const plan = await session.service.getPlan(view.plan_id);
  const page = await session.service.listSteps(view.plan_id, { limit: pageSize });
  const { screen } = session;
  session.event('details', { plan_id: view.plan_id, digest: view.digest, steps: page.steps });
  const more =
    page.next_cursor === null
      ? []
      : ['', `  These are the first ${pageSize} steps. The console shows them all.`];
  const confidence =
    plan.confidence === null
      ? []
      : [`  Confidence ${plan.confidence.toFixed(2)} (${confidenceWord(plan.confidence)})`];
  session.say(
    '',
    ...hangText(`Digest ${view.digest}`, '  ', '  ', screen.width()),
    ...confidence,
    ...page.steps.flatMap((step) => ['', ...drawStep(step, screen)]),
    ...more,
    '',
  );
}
