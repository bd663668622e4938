// Shows a presser their own card or a sentence.
import { viewAskPage } from '#cards/ask-review.ts';
import { pressWords, windowWords } from '#cards/chat-words.ts';
import { isDryRun, viewDetails } from '#cards/details-view.ts';
import { viewDryRun, writeDryRun } from '#cards/dry-run.ts';
import { type Drawn, drawAdaptiveCard, drawAdaptiveText } from '#cards/expand.ts';
import { drawAdaptiveDetails, drawAdaptivePolicy } from '#cards/expand-teams.ts';
import { platformLimits } from '#cards/limits.ts';
import { addRefresh, type CardSubject, refreshVerb, verbs } from '#cards/press.ts';
import { drawRecurringCard, viewRecurring } from '#cards/recurring.ts';
import { recurringWords } from '#cards/recurring-words.ts';
import { type ReviewPage, readReview } from '#cards/review.ts';
import { viewSession } from '#cards/session-view.ts';
import { viewNotice } from '#cards/text.ts';
import type { PlanView } from '#cards/view.ts';
import { viewPlan } from '#cards/view-model.ts';
import type { CardPress, PlanCardFacts } from '#domain/chat/card.ts';
import { conversationAt } from '#domain/chat/chat.ts';
import { CountersignError } from '#domain/errors.ts';
import { person } from '#domain/people/actor.ts';
import type { RecurringChange } from '#domain/plan/recurring.ts';
import { finishWithin } from '../finish-within.ts';
import { answerCommand } from '../lists/answer-command.ts';
import { fillReaders } from '../port/make-activity.ts';
import type { Scene } from '../signals/read-activity.ts';
import type { TeamsContext } from '../teams-context.ts';
import type { Decision, Look } from './read-press.ts';
import { answerCard, answerText, type InvokeAnswer, Reply } from './reply.ts';

export type Show = {
  /** Never throws; at most `withinMs`. */
  look(look: Look, scene: Scene, withinMs: number): Promise<InvokeAnswer>;
  /** Same limits. @param reply from the handler */
  outcome(
    decision: Decision,
    reply: unknown,
    scene: Scene,
    withinMs: number,
  ): Promise<InvokeAnswer>;
};

/** Without approvals they can't give. */
function viewForReader(facts: PlanCardFacts): PlanView {
  const view = viewPlan(facts);
  if (facts.may_approve) return view;
  return { ...view, buttons: view.buttons.filter(({ press }) => press.action !== 'approve') };
}

async function drawSubject(
  { service, people }: TeamsContext,
  subject: CardSubject,
  scene: Scene,
): Promise<object> {
  const { id, timezone } = await people.find(scene);
  const viewer = { user: id, timezone };
  const view =
    'plan_id' in subject
      ? viewForReader(await service.card(subject.plan_id, viewer))
      : viewSession(await service.runCard(subject.run_id, viewer));
  return fillReaders(
    addRefresh(drawAdaptiveCard(view), view),
    [scene.from.id],
    platformLimits.teams.answer,
  );
}

const rowsOnCard = 60;

async function showDetails(
  { service, plansFor, people }: TeamsContext,
  { press, pages, list }: Extract<Look, { kind: 'details' }>,
  scene: Scene,
): Promise<Drawn> {
  const { id, timezone } = await people.find(scene);
  // The client sends `list`, so only its own plans are shown.
  const read = list === null ? service : plansFor(scene.tenant, id);
  const facts = await read.card(press.plan_id, { user: id, timezone });
  // Lists decide nothing.
  const asked =
    list === null
      ? viewAskPage(viewPlan(facts), press, pages.at(-1) ?? '', platformLimits.teams.askPage)
      : null;
  if (asked !== null) return drawAdaptiveCard(asked);
  if (isDryRun(pages)) {
    const simulation = await read.simulate(press.plan_id, {}, person(id, 'teams'));
    const text = writeDryRun(viewDryRun(simulation, facts.now, rowsOnCard));
    const { title, verb, data } = backOf(press.plan_id, list);
    const back = { type: 'Action.Execute', title, verb, data };
    return { ...drawAdaptiveText(viewNotice(text)), actions: [back] };
  }
  const page = await readReview(read, facts, pages.at(-1) ?? '', platformLimits.teams.reviewPage);
  return drawDetails(facts, page, { press, pages, list });
}

/** @throws errors of the service */
export async function drawLook(context: TeamsContext, look: Look, scene: Scene): Promise<unknown> {
  if (look.kind === 'list') {
    const command = { name: 'plans' as const, text: look.list, alone: false };
    return (await answerCommand(context, command, scene)).card;
  }
  const subject = look.kind === 'refresh' ? look.subject : { plan_id: look.press.plan_id };
  // Listed plans may be shown where the list was requested.
  const listed = look.kind === 'details' && look.list !== null;
  if (!listed && !(await context.service.isAbout(conversationAt(scene.place), subject)))
    throw new CountersignError('not_allowed', pressWords.elsewhereOnly);
  return look.kind === 'refresh'
    ? drawSubject(context, look.subject, scene)
    : showDetails(context, look, scene);
}

async function drawRecurringList(
  { plansFor, people, clock }: TeamsContext,
  { action }: RecurringChange,
  scene: Scene,
): Promise<Drawn> {
  const { id, timezone } = await people.find(scene);
  const entries = await plansFor(scene.tenant, id).listRecurring({ user: id });
  const reader = { timezone, now: clock.now().toISOString() };
  return drawRecurringCard(viewRecurring(entries, reader, recurringWords.short[action]));
}

const tooLate = () => new CountersignError('timed_out', pressWords.tooLate);

export function createShow(context: TeamsContext): Show {
  const { service, people, warn } = context;

  /** @throws errors of the service, or for another conversation's card */
  async function drawOutcome(decision: Decision, scene: Scene): Promise<object> {
    if (decision.kind === 'settings') {
      const { id } = await people.find(scene);
      return drawAdaptivePolicy(await service.getPolicy(id), pressWords.kept);
    }
    if (decision.kind === 'recurring') return drawRecurringList(context, decision.change, scene);
    const { button: press } = decision.press;
    const subject = 'plan_id' in press ? { plan_id: press.plan_id } : { run_id: press.run_id };
    if (!(await service.isAbout(conversationAt(scene.place), subject)))
      throw new CountersignError('not_allowed', pressWords.elsewhereOnly);
    return drawSubject(context, subject, scene);
  }

  return {
    async look(look, scene, withinMs) {
      try {
        return answerCard(await finishWithin(withinMs, drawLook(context, look, scene), tooLate));
      } catch (error) {
        if (error instanceof CountersignError) return answerText(error.message);
        warn('Could not show a card to one person in Teams.', error);
        return answerText(pressWords.failed);
      }
    },
    async outcome(decision, reply, scene, withinMs) {
      const left = Reply.safeParse(reply);
      if (left.success) return answerText(left.data.note);
      try {
        return answerCard(await finishWithin(withinMs, drawOutcome(decision, scene), tooLate));
      } catch (error) {
        if (error instanceof CountersignError && error.code === 'not_allowed')
          return answerText(error.message);
        warn('Could not show a card to one person in Teams after a press.', error);
        return answerText(pressWords.done);
      }
    },
  };
}

// A plan's review in pages, with approval. Pure.

/** `pages`: cursors so far; `list`: where it was opened. */
type Held = { press: CardPress; pages: string[]; list: string | null };

/** To the card or list. */
const backOf = (planId: string, list: string | null) =>
  list === null
    ? { title: windowWords.back.plan, verb: refreshVerb, data: { plan_id: planId } }
    : { title: windowWords.back.list, verb: verbs.list, data: { list } };

export function drawDetails(
  facts: PlanCardFacts,
  page: ReviewPage,
  { press, pages, list }: Held,
): Drawn {
  const back = backOf(facts.plan.id, list);
  const details = list === null ? press : { ...press, list };
  // Lists decide nothing, since they cross conversations.
  const view = viewDetails(facts, { ...page, pages }, list === null);
  return drawAdaptiveDetails(view, details, back);
}
