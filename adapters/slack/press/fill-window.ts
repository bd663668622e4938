// Fills windows: a button's form, or a plan's review in pages.
import type { types } from '@slack/bolt';
import { agreeing, reviewAsk } from '#cards/ask-review.ts';
import { windowWords } from '#cards/chat-words.ts';
import { type DetailsView, dryRunPage, isDryRun, viewDetails } from '#cards/details-view.ts';
import { viewDryRun, writeDryRun } from '#cards/dry-run.ts';
import { viewEvidence } from '#cards/evidence.ts';
import { drawBlocks } from '#cards/expand.ts';
import { platformLimits } from '#cards/limits.ts';
import { type ReviewStep, readReview } from '#cards/review.ts';
import { viewSession } from '#cards/session-view.ts';
import { drawEdits } from '#cards/slack-build.ts';
import { drawEvidence, drawReviewLine, drawReviewSteps } from '#cards/slack-review.ts';
import { alertBlock, drawForm, drawTicks, textSection } from '#cards/slack-windows.ts';
import type { Form, PlanView, SectionKind } from '#cards/view.ts';
import { asShared, viewPlan } from '#cards/view-model.ts';
import { dryRunButton } from '#cards/words.ts';
import type { CardPress, PlanCardFacts } from '#domain/chat/card.ts';
import { type Actor, person } from '#domain/people/actor.ts';
import { noPartWords } from '#domain/plan/step-choice.ts';
import { maxNumbered } from '#domain/plan/step-numbers.ts';
import type { Service } from '#domain/service.ts';
import { isSamePress } from './handle-press.ts';
import type { Held } from './held.ts';
import { makeWindow, noticeWindow, textSections, toBlocks } from './windows.ts';

/** A code point has at most two UTF-16 units. */
const parts = /[\s\S]{1,1450}/gu;

/** The last page confirms. @returns null for a press about a whole plan, or a closed question */
export function fillAsk(view: PlanView, press: CardPress, held: Held): types.ModalView | null {
  const page = reviewAsk(view, press, held.pages.at(-1) ?? '', platformLimits.slack.askPage);
  if (page === null) return null;
  const confirm = page.buttons.find((button) => agreeing.has(button.press.action));
  const blocks = [
    page.decides ? alertBlock(page.label) : textSection(page.label),
    ...textSections(page.lines.flatMap((line) => line.match(parts) ?? [' '])),
  ];
  if (page.next !== null) {
    const more = {
      type: 'button' as const,
      action_id: 'countersign:page:next',
      text: { type: 'plain_text' as const, text: windowWords.pages.later, emoji: false },
      value: page.next,
    };
    return makeWindow({
      title: view.plan_id,
      held,
      blocks: [...blocks, { type: 'actions', elements: [more] }],
    });
  }
  // Windows from a list or Home decide nothing.
  return confirm === undefined || held.place === null
    ? makeWindow({ title: view.plan_id, held, blocks })
    : makeWindow({
        title: view.plan_id,
        submit: confirm.label,
        kind: 'form',
        held: { ...held, press: confirm.press },
        blocks,
      });
}

const lineBlocks = (text: string, note = '') => toBlocks(drawReviewLine(text, note));

const rowsInWindow = 100;

type Viewer = { user: string; timezone: string };
type Block = types.KnownBlock;

/** For a press without a form. */
function noteForm(label: string, submit: string): Form {
  return { fields: [], label, placeholder: '', required: false, missing: '', submit };
}

function findForm(view: PlanView, press: CardPress): { form: Form; about: string } | null {
  const same = (other: CardPress) => isSamePress(other, press);
  for (const ask of view.asks) {
    const button = ask.buttons.find((one) => same(one.press));
    if (button === undefined) continue;
    return {
      form: button.form ?? noteForm(ask.note ?? windowWords.note, button.label),
      about: ask.text,
    };
  }
  const button = view.buttons.find((one) => same(one.press));
  return button?.form === undefined || button.form === null
    ? null
    : { form: button.form, about: view.title };
}

function makeForm(form: Form, about: string, held: Held): types.ModalView {
  return makeWindow({
    title: form.submit,
    submit: form.submit,
    kind: 'form',
    held: {
      ...held,
      missing: form.required && form.label !== '' ? form.missing : null,
      fields: form.fields
        .filter(({ type }) => type !== 'choice')
        .map(({ name, label, type, required, min, max, whole }) => ({
          ...{ name, label, type, required, min, max, whole },
        })),
    },
    blocks: [textSection(about), ...toBlocks(drawForm(form))],
  });
}

/** Repeated in full by the steps below. */
const shownBelow = new Set<SectionKind>(['effects', 'steps']);

/** Buttons stay in the conversation, visible to all. */
function drawCard(view: PlanView): Block[] {
  const waits = view.status === 'proposed' || view.status === 'needs_review';
  const sections = view.sections.filter(({ kind }) => !(waits && shownBelow.has(kind)));
  const card = { ...view, sections, buttons: [], asks: [], asks_more: 0 };
  return toBlocks(drawBlocks(card).blocks);
}

function pageButton(label: string, action: string, value: string) {
  return {
    type: 'button' as const,
    action_id: `countersign:page:${action}`,
    text: { type: 'plain_text' as const, text: label, emoji: false },
    value,
  };
}

function drawTurns({ earlier, later, dry_run: dry }: DetailsView): Block[] {
  const { pages } = windowWords;
  const elements = [
    ...(earlier === null ? [] : [pageButton(pages.earlier, 'back', 'back')]),
    ...(later === null ? [] : [pageButton(pages.later, 'next', later.at(-1) ?? '')]),
    ...(dry === null ? [] : [pageButton(dryRunButton, 'dry', dryRunPage)]),
  ];
  return elements.length === 0 ? [] : [{ type: 'actions', elements }];
}

function toTick({ lead, headline, place }: ReviewStep): { label: string; place: number }[] {
  return place === null ? [] : [{ label: `${lead}  ${headline}`, place }];
}

/** Every call in full; approves there if allowed. */
export async function fillDetails(
  service: Pick<Service, 'listSteps'>,
  facts: PlanCardFacts,
  held: Held & { press: CardPress },
  refused: boolean,
): Promise<types.ModalView> {
  const { plan } = facts;
  const { press } = held;
  const { id, version, digest } = plan;
  const changed = press.version !== version || press.digest !== digest;
  // Other versions' pages were not seen.
  const pages = changed ? [''] : held.pages;
  const review = await readReview(
    service,
    facts,
    pages.at(-1) ?? '',
    platformLimits.slack.reviewPage,
  );
  // Decisions from a list or Home would be invisible to others.
  const view = viewDetails(facts, { ...review, pages }, held.place !== null);
  const { approve, covers, earlier, edits, steps, ticks } = view;
  const words = windowWords.review;
  const head =
    earlier === null
      ? drawCard(viewPlan(facts))
      : lineBlocks(view.title, words.page({ page: pages.length }));
  const evidence = earlier === null ? viewEvidence(facts) : [];
  const guard = viewPlan(facts).buttons.find((button) => button.guard !== undefined)?.guard;
  const ends: Block[] = [
    ...toBlocks(drawEdits(edits)),
    ...(ticks ? toBlocks(drawTicks(steps.flatMap(toTick))) : []),
    ...(covers === null ? [] : lineBlocks(covers)),
    ...drawTurns(view),
    ...(approve === null || plan.total_steps <= maxNumbered ? [] : [textSection(noPartWords)]),
  ];
  return makeWindow({
    title: approve === null ? id : words.title({ id }),
    ...(approve === null ? {} : { submit: approve.words, kind: ticks ? 'part' : 'approve' }),
    held: { ...held, pages, press: { action: 'details', plan_id: id, version, digest } },
    blocks: [
      ...(changed ? lineBlocks(refused ? words.notApproved(plan) : words.changed(plan)) : []),
      ...(approve === null || guard === undefined ? [] : [alertBlock(guard.text)]),
      ...head,
      ...(evidence.length === 0 ? [] : toBlocks(drawEvidence(evidence))),
      { type: 'divider' },
      ...(steps.length === 0
        ? [textSection(windowWords.noSteps)]
        : [...lineBlocks(view.label), ...toBlocks(drawReviewSteps(steps))]),
      ...ends,
    ],
  });
}

async function fillDryRun(
  service: Pick<Service, 'simulate'>,
  { plan, now }: PlanCardFacts,
  held: Held,
  actor: Actor,
): Promise<types.ModalView> {
  const simulation = await service.simulate(plan.id, {}, actor);
  const lines = writeDryRun(viewDryRun(simulation, now, rowsInWindow)).split('\n');
  const back = {
    type: 'actions' as const,
    elements: [pageButton(windowWords.pages.earlier, 'back', 'back')],
  };
  return makeWindow({ title: plan.id, held, blocks: [...textSections(lines), back] });
}

/** @param refused an approval from it @throws errors of the service */
export async function fillWindow(
  service: Pick<Service, 'runCard' | 'card' | 'listSteps' | 'simulate'>,
  held: Held,
  viewer: Viewer,
  refused = false,
): Promise<types.ModalView> {
  const { press } = held;
  if ('run_id' in press) {
    const facts = await service.runCard(press.run_id, viewer);
    const button = viewSession(facts).buttons.find(
      ({ press: other }) =>
        other.action === press.action &&
        other.choice === undefined &&
        other.turn === press.turn &&
        other.digest === press.digest,
    );
    if (button?.form === undefined || button.form === null)
      return noticeWindow(windowWords.outdated);
    return makeForm(button.form, facts.text === '' ? facts.request : facts.text, held);
  }
  const facts = await service.card(press.plan_id, viewer);
  // Shared, like the card in the conversation.
  const shared = viewPlan(asShared(facts));
  const asked = fillAsk(shared, press, held);
  if (asked !== null) return asked;
  if (press.action === 'details' && isDryRun(held.pages))
    return fillDryRun(service, facts, held, person(viewer.user, 'slack'));
  if (press.action === 'details') return fillDetails(service, facts, { ...held, press }, refused);
  const found = findForm(shared, press);
  return found === null
    ? noticeWindow(windowWords.outdated)
    : makeForm(found.form, found.about, held);
}
