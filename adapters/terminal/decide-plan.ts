// The decision about a plan, in the terminal. It names the version and digest that were drawn.
import { reviewLabel } from '#cards/buttons.ts';
import type { PlanView } from '#cards/view.ts';
import { waitsForDecision } from '#cards/words.ts';
import { type NearWord, readNearWord } from '#domain/chat/near-words.ts';
import {
  chooseSteps,
  describeNumbered,
  requireNumbers,
  type StepChoice,
  withNumbers,
} from '#domain/plan/step-choice.ts';
import { numberedAtMost, orderByLabel } from '#domain/plan/step-numbers.ts';
import { decideSession, lookAtRun } from './decide-session.ts';
import { attempt, decideOnce } from './decision-loop.ts';
import { showDetails } from './details.ts';
import { drawLines, drawProposal, drawReport } from './draw.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { sayRun, waitForRun } from './run-turn.ts';
import { look, planData, type Session, tellError } from './session.ts';

/** Where the card does not show all effects, reading the rest comes first. */
function questionFor({ buttons }: PlanView): string {
  return buttons.some(({ label }) => label === reviewLabel)
    ? '  [d] review  [a]pprove  [p]ropose changes  [r]eject › '
    : '  [a]pprove  [p]ropose changes  [r]eject  [d]etails › ';
}

const help =
  'Type approve, approve 1-3, 5 or approve all but 4 (numbers of the steps above), propose changes: …, reject, cancel, details or status. Anything else goes to the planner. Enter q to leave it waiting.';

/** Draws the plan that is to be decided about. */
export function showProposal(session: Session, view: PlanView): void {
  session.event('plan', planData(view));
  session.say(...drawProposal(view, session.screen));
}

/** After an approval that was not the last one needed, or one that was not ours to give. */
function leaveToOthers(session: Session, view: PlanView): ExitCode {
  const so_far = view.approvals === '' ? '' : `${view.approvals}. `;
  session.say(...drawLines(`${so_far}${view.state.words}.`, session.screen));
  return exitCodes.needsPerson;
}

/** What an approval binds of what was drawn. */
function shownIn({ version, digest, buttons }: PlanView) {
  const passed = buttons.flatMap(({ press }) => ('passed' in press ? (press.passed ?? []) : []))[0];
  return { version, digest, ...(passed === undefined ? {} : { passed }) };
}

/** Approves the steps that were named by the numbers drawn. @returns the ids that were sent */
async function approvePart(session: Session, view: PlanView, choice: StepChoice) {
  const { plan_id } = view;
  // One more than have numbers, to know whether there are more.
  const { steps } = await session.service.listSteps(plan_id, { limit: numberedAtMost + 1 });
  requireNumbers(steps.length);
  const numbered = orderByLabel(steps, steps.length);
  const { chosen, approval } = chooseSteps(choice, numbered);
  try {
    await session.service.approve(plan_id, { ...shownIn(view), ...approval }, session.actor);
  } catch (error) {
    throw withNumbers(error, numbered);
  }
  const words = describeNumbered(chosen);
  const said = choice.kind === 'only' ? `Approved ${words} only.` : `Approved all but ${words}.`;
  session.say(...drawLines(said, session.screen));
  return approval;
}

/** Approves what was shown. null: go on and see what became of it. */
async function approve(
  session: Session,
  view: PlanView,
  choice: StepChoice | null,
): Promise<ExitCode | null> {
  const { version, digest, plan_id } = view;
  try {
    const part = choice === null ? {} : await approvePart(session, view, choice);
    if (choice === null) await session.service.approve(plan_id, shownIn(view), session.actor);
    session.event('decision', { action: 'approve', plan_id, version, digest, ...part });
  } catch (error) {
    const { code } = tellError(session, error);
    if (code === 'stale_version' || code === 'digest_mismatch') return null;
    if (code === 'times_passed') return null;
    if (code === 'already_decided' || code === 'invalid_transition') return null;
    if (session.options.yes !== true) return null;
    return code === 'not_allowed' ? exitCodes.needsPerson : exitCodes.failed;
  }
  const after = await look(session, plan_id);
  const waits = after.status === 'proposed' || after.status === 'needs_review';
  return waits && after.version === version ? leaveToOthers(session, after) : null;
}

/** A word that comes close to a decision makes none: the exact one is named. */
function describeNear(near: NearWord, { version }: PlanView, text: string): string {
  switch (near) {
    case 'approve':
      return `Did you mean to approve version ${version}? Type approve.`;
    case 'reject':
    case 'undo':
      return `Nothing has run. To drop version ${version}, type reject.`;
    case 'cancel':
      return 'Did you mean to cancel the plan? Type cancel.';
    case 'change':
      return `To change version ${version}, type propose changes: ${text}`;
    default:
      return near satisfies never;
  }
}

async function talk(session: Session, view: PlanView, text: string): Promise<null> {
  const near = readNearWord(text);
  if (near !== null) {
    session.say(...drawLines(describeNear(near, view, text), session.screen));
    return null;
  }
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
    // What was said may have led to a session that waits itself; it is decided before the plan is come back to.
    if (waitsForDecision(shown)) {
      await decideSession(session, shown);
      return;
    }
    session.event('answer', { run_id: runId, text: run.response_text });
    sayRun(session, run);
  });
  return null;
}

/** One decision about the plan that was drawn. null: look at it again. */
export function decidePlan(session: Session, view: PlanView): Promise<ExitCode | null> {
  const { plan_id, version } = view;
  const { service, actor } = session;
  const change = async (act: () => Promise<unknown>): Promise<null> => {
    await attempt(session, act);
    return null;
  };
  return decideOnce(session, {
    question: questionFor(view),
    help,
    agreed: true,
    afterShowing: null,
    approve: (choice) => approve(session, view, choice),
    proposeChanges: (feedback) =>
      change(async () => {
        const decision = { version, feedback };
        await service.proposeChanges(plan_id, decision, actor);
        session.event('decision', { action: 'propose_changes', ...decision, plan_id });
      }),
    reject: () => change(() => service.reject(plan_id, { version }, actor)),
    cancel: () => change(() => service.cancel(plan_id, { version }, actor)),
    showDetails: () => showDetails(session, view),
    showStatus: async () => {
      session.say(...drawReport(await look(session, plan_id), session.screen));
    },
    talk: (text) => talk(session, view, text),
  });
}
