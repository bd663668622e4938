// Decides on a plan by the version and digest drawn.
import { reviewLabel } from '#cards/buttons.ts';
import type { PlanView } from '#cards/view.ts';
import { waitsForDecision } from '#cards/words.ts';
import type { CardPress } from '#domain/chat/card.ts';
import type { ErrorCode } from '#domain/errors.ts';
import type { ShownStep } from '#domain/plan/call.ts';
import {
  chooseSteps,
  describeNumbered,
  requireNumbers,
  type StepChoice,
  withNumbers,
} from '#domain/plan/step-choice.ts';
import { maxNumbered, orderByLabel } from '#domain/plan/step-numbers.ts';
import type { StepPage } from '#domain/plan/views.ts';
import { listOf } from '#domain/words.ts';
import { decideSession, lookAtRun } from './decide-session.ts';
import { attempt, decideOnce, type Outcome } from './decision-loop.ts';
import { showDetails } from './details.ts';
import { drawLines, drawProposal, drawReport } from './draw.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { editWaiting } from './fill-step.ts';
import { pressDrawn } from './press.ts';
import { sayRun, waitForRun } from './run-turn.ts';
import { look, planData, type Session } from './session.ts';

/** If effects are hidden, reading comes first. */
function questionFor({ buttons, version }: PlanView): string {
  const undo = version > 1 ? '  [u]ndo' : '';
  return buttons.some(({ label }) => label === reviewLabel)
    ? `  [d] review  [a]pprove  [p]ropose changes${undo}  [r]eject › `
    : `  [a]pprove  [p]ropose changes${undo}  [r]eject  [d]etails › `;
}

const editHint = 'Type e and the number of a step to edit it, such as e 2.';

const help =
  'Type approve, approve 1-3, 5 or approve all but 4 (numbers of the steps above), propose changes: …, edit 2, undo, go back to version 1, reject, cancel, details or status. Anything else goes to the planner. Enter q to leave it waiting.';

export function showProposal(session: Session, view: PlanView): void {
  session.event('plan', planData(view));
  session.say(...drawProposal(view, session.screen));
}

/** More approvals are needed, or another person's. */
function leaveToOthers(session: Session, view: PlanView): ExitCode {
  const so_far = view.approvals === '' ? '' : `${view.approvals}. `;
  session.say(...drawLines(`${so_far}${view.state.words}.`, session.screen));
  return exitCodes.needsPerson;
}

/** Words also work without a button. */
function pressOn({ plan_id, version, digest, buttons }: PlanView, action: CardPress['action']) {
  const passed = buttons.flatMap(({ press }) => press.passed ?? [])[0];
  const seen = action !== 'approve' || passed === undefined ? {} : { passed };
  return { action, plan_id, version, digest, ...seen };
}

/** Selects steps by the numbers drawn. */
async function readPart({ service }: Session, { plan_id }: PlanView, choice: StepChoice) {
  // One more, to detect further steps.
  const { steps } = await service.listSteps(plan_id, { limit: maxNumbered + 1 });
  requireNumbers(steps.length);
  const numbered = orderByLabel(steps, steps.length);
  const { chosen, approval } = chooseSteps(choice, numbered);
  const words = describeNumbered(chosen);
  const outcome = choice.kind === 'only' ? `Approved ${words} only.` : `Approved all but ${words}.`;
  return { numbered, approval, outcome };
}

const waitsOn = new Set<ErrorCode>([
  'stale_version',
  'digest_mismatch',
  'times_passed',
  'already_decided',
  'invalid_transition',
]);

/** Null to continue with the plan. */
async function approve(
  session: Session,
  view: PlanView,
  choice: StepChoice | null,
): Promise<ExitCode | null> {
  let chosen: Awaited<ReturnType<typeof readPart>> | null = null;
  const read = async () => {
    if (choice !== null) chosen = await readPart(session, view, choice);
  };
  if (!(await attempt(session, read))) return null;
  const { approval = null, numbered = [], outcome = '' } = chosen ?? {};
  const refused = await pressDrawn(session, pressOn(view, 'approve'), { part: approval }, (error) =>
    withNumbers(error, numbered),
  );
  if (refused !== null) {
    if (waitsOn.has(refused.code) || session.options.yes !== true) return null;
    return refused.code === 'not_allowed' ? exitCodes.needsPerson : exitCodes.failed;
  }
  if (outcome !== '') session.say(...drawLines(outcome, session.screen));
  const after = await look(session, view.plan_id);
  const waits = after.status === 'proposed' || after.status === 'needs_review';
  return waits && after.version === view.version ? leaveToOthers(session, after) : null;
}

async function talk(session: Session, view: PlanView, text: string): Promise<null> {
  const runId = session.run_id;
  if (runId === null) {
    session.say(...drawLines(help, session.screen));
    return null;
  }
  await attempt(session, async () => {
    const { version, digest } = view;
    await session.service.reply(runId, text, session.actor, { on_screen: { version, digest } });
    const run = await waitForRun(session, runId);
    const shown = await lookAtRun(session, runId);
    // A waiting session is decided first.
    if (waitsForDecision(shown)) {
      await decideSession(session, shown);
      return;
    }
    session.event('answer', { run_id: runId, text: run.response_text });
    sayRun(session, run);
  });
  return null;
}

/** Before the first version, returns the request. */
async function goBack(session: Session, view: PlanView, to: number | null): Promise<null> {
  const press = { ...pressOn(view, 'go_back'), ...(to === null ? {} : { to }) };
  const refused = await pressDrawn(session, press);
  const { run_id: runId } = session;
  if (refused === null && to === null && view.version === 1 && runId !== null)
    sayRun(session, await session.service.getRun(runId));
  return null;
}

/** Steps compared with a number that was typed. */
const maxLooked = 2000;

/** Null to look again. */
async function edit(session: Session, { plan_id }: PlanView, label: string): Promise<Outcome> {
  const labels: string[] = [];
  let found: ShownStep | undefined;
  let cursor: string | null = '';
  while (found === undefined && cursor !== null && labels.length < maxLooked) {
    const page: StepPage = await session.service.listSteps(plan_id, {
      limit: 100,
      ...(cursor === '' ? {} : { cursor }),
    });
    found = page.steps.find((one) => label === '' || one.label === label.toLowerCase());
    labels.push(...page.steps.map((one) => one.label ?? ''));
    cursor = page.next_cursor;
  }
  if (found === undefined) {
    const near = labels.filter((one) => one.startsWith(label)).slice(0, 6);
    const shown = near.length === 0 ? labels.slice(0, 6) : near;
    const words = `There is no step ${label}. Type e and a number such as ${listOf(shown, 'or')}.`;
    session.say(...drawLines(words, session.screen));
    return 'ask';
  }
  const { id: step } = found;
  await attempt(session, () => editWaiting(session, { plan: plan_id, step }));
  return null;
}

export function decidePlan(session: Session, view: PlanView): Promise<ExitCode | null> {
  const press = async (action: CardPress['action'], text = ''): Promise<null> => {
    await pressDrawn(session, pressOn(view, action), { text });
    return null;
  };
  return decideOnce(session, {
    question: questionFor(view),
    help,
    agreed: true,
    afterShowing: null,
    approve: (choice) => approve(session, view, choice),
    proposeChanges: (feedback) => press('propose_changes', feedback),
    reject: () => press('reject'),
    cancel: () => press('cancel'),
    goBack: (to) => goBack(session, view, to),
    edit: (label) => edit(session, view, label),
    showDetails: async () => {
      await showDetails(session, view);
      if (session.interactive) session.say(...drawLines(editHint, session.screen));
    },
    showStatus: async () => {
      session.say(...drawReport(await look(session, view.plan_id), session.screen));
    },
    talk: (text) => talk(session, view, text),
  });
}
