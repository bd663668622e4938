// `countersign findings`: lists a plan's findings, or settles one.
import { CountersignError } from '#domain/errors.ts';
import { type Finding, FindingAction } from '#domain/plan/finding.ts';
import type { Service } from '#domain/service.ts';
import { countOf } from '#domain/words.ts';
import { exitCodes } from './exit-codes.ts';
import { hangText, type TerminalIo } from './screen.ts';
import { inSession, printJson, type Session } from './session.ts';

export type FindingsOptions = {
  user: string;
  timezone: string;
  id: string;
  /** Default: the only open one. */
  finding?: string;
  action?: string;
  json?: boolean;
};

const pageSize = 100;

function describe(finding: Finding) {
  const { id, severity, status, step_id, step_label, partition, stale_steps, actions } = finding;
  const about = step_id === null ? partition : `step ${step_label ?? step_id}`;
  return [
    `${id} ${severity}`,
    status.replaceAll('_', ' '),
    ...(about === null ? [] : [about]),
    ...(stale_steps === 0 ? [] : [`${countOf(stale_steps, 'step')} affected`]),
    ...(actions.length === 0 ? [] : [`--action ${actions.join(' | ')}`]),
  ].join(' · ');
}

/** @throws `invalid_request` if ambiguous */
async function choose({ service }: Session, { id, finding }: FindingsOptions): Promise<string> {
  if (finding !== undefined) return finding;
  const { findings } = await service.listFindings(id, {
    status: ['open', 'replanning', 'awaiting_approval'],
    limit: 2,
  });
  const [only, other] = findings;
  if (only !== undefined && other === undefined) return only.id;
  throw new CountersignError(
    'invalid_request',
    only === undefined
      ? `${id} has no open problem.`
      : 'Name the problem: add its id (F-…) after the plan.',
  );
}

async function carryOut(session: Session, options: FindingsOptions): Promise<Finding[]> {
  const { service, actor } = session;
  const { id, action } = options;
  if (action === undefined) return (await service.listFindings(id, { limit: pageSize })).findings;
  const chosen = FindingAction.safeParse(action);
  if (!chosen.success)
    throw new CountersignError(
      'invalid_request',
      `--action must be one of ${FindingAction.options.join(', ')}.`,
    );
  return [await service.settleFinding(id, await choose(session, options), chosen.data, actor)];
}

/** @returns an exit code */
export async function findings(
  service: Service,
  options: FindingsOptions,
  io: TerminalIo,
): Promise<number> {
  return inSession(service, options, io, async (session) => {
    const found = await carryOut(session, options);
    if (options.json === true) return printJson(session, { findings: found });
    if (found.length === 0) session.say('No problems were found in this plan.');
    for (const finding of found) {
      const width = session.screen.width();
      session.say(
        ...hangText(describe(finding), '  ', '    ', width),
        ...hangText(finding.message, '    ', '    ', width),
      );
    }
    return exitCodes.done;
  });
}
