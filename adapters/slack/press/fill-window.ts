// What stands in a window: the form of the button that was pressed, or all there is to know about a plan and its steps to tick.
import type { types } from '@slack/bolt';
import { windowWords } from '#cards/chat-words.ts';
import { drawBlocks } from '#cards/expand.ts';
import { showLine } from '#cards/plain.ts';
import { viewSession } from '#cards/session-view.ts';
import type { Form, PlanView } from '#cards/view.ts';
import { viewPlan } from '#cards/view-model.ts';
import type { CardPress, PlanCardFacts } from '#contracts/card.ts';
import type { Step } from '#contracts/plan.ts';
import type { Service } from '#contracts/service.ts';
import { noPartWords } from '#contracts/step-choice.ts';
import { type NumberedStep, nameSteps, numberedAtMost } from '#contracts/step-numbers.ts';
import { operationName } from '#contracts/tool.ts';
import { fillAsk } from './fill-ask.ts';
import type { Held } from './held.ts';
import { isSamePress } from './is-same-press.ts';
import {
  formBlocks,
  makeWindow,
  noticeWindow,
  partBlocks,
  textSection,
  textSections,
} from './windows.ts';

type Viewer = { user: string; timezone: string };
type Block = types.KnownBlock;

const stepsOfPage = 15;
const lineAtMost = 180;

/** What may be said beside a press without a form of its own. */
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
    blocks: [textSection(about), ...formBlocks(form)],
  });
}

/** The card without its buttons: those stay in the conversation, where everybody sees what was pressed. */
function drawCard(view: PlanView): Block[] {
  // Blocks of `cards/` are Slack's by construction.
  return drawBlocks({ ...view, buttons: [], asks: [], asks_more: '' }).blocks as unknown as Block[];
}

/** A step in two lines: what it is, and what it does to what. */
function describeStep(step: Step, lead: string): string {
  const what = `${lead}${showLine(step.description, lineAtMost)}`;
  const target = step.target === null ? '' : ` → ${showLine(step.target, 60)}`;
  return `${what}\n    ${operationName(step.tool, step.operation)}${target} · ${step.status}`;
}

/** The steps under the numbers that their card gives them, and the cursor of the next page of a plan that has pages. */
async function readShown(
  service: Pick<Service, 'listSteps'>,
  { plan, steps }: PlanCardFacts,
  pages: string[],
): Promise<{ named: NumberedStep<Step>[]; next: string | null }> {
  if (plan.total_steps <= numberedAtMost) {
    // In the plan's order: what is ticked is sent as its place there.
    const named = nameSteps(steps, plan.total_steps);
    const inOrder = named.toSorted((a, b) => steps.indexOf(a.step) - steps.indexOf(b.step));
    return { named: inOrder, next: null };
  }
  const cursor = pages.at(-1) ?? '';
  const page = await service.listSteps(plan.id, {
    limit: stepsOfPage,
    ...(cursor === '' ? {} : { cursor }),
  });
  return { named: nameSteps(page.steps, plan.total_steps), next: page.next_cursor };
}

function pageButton(label: string, action: string, value: string) {
  return {
    type: 'button' as const,
    action_id: `countersign:page:${action}`,
    text: { type: 'plain_text' as const, text: label, emoji: false },
    value,
  };
}

async function fillDetails(service: Pick<Service, 'listSteps'>, facts: PlanCardFacts, held: Held) {
  const { plan, steps } = facts;
  const view = viewPlan(facts);
  const open = plan.status === 'proposed' || plan.status === 'needs_review';
  const title = plan.id;
  const card = drawCard(view);
  // What is opened from a list or from Home decides nothing: there is no conversation in which others would see it.
  const decides = held.place !== null && open && !plan.revising && facts.may_approve;
  const { named, next } = await readShown(service, facts, held.pages);
  const blocks = textSections(named.map(({ label, step }) => describeStep(step, `${label}  `)));
  if (decides && plan.total_steps <= numberedAtMost && steps.length > 1) {
    const ticked = named.map(({ label, step }) => `${label}  ${showLine(step.description, 60)}`);
    const { version, digest } = plan;
    const press: CardPress = { action: 'approve', plan_id: plan.id, version, digest };
    return makeWindow({
      title,
      submit: windowWords.steps.submit,
      kind: 'part',
      held: { ...held, press },
      blocks: [...card, { type: 'divider' }, ...blocks, ...partBlocks(ticked)],
    });
  }
  const noPart = decides && plan.total_steps > numberedAtMost;
  const buttons = [
    ...(held.pages.length > 1 ? [pageButton(windowWords.pages.earlier, 'back', 'back')] : []),
    ...(next === null ? [] : [pageButton(windowWords.pages.later, 'next', next)]),
  ];
  return makeWindow({
    title,
    held,
    blocks: [
      ...card,
      { type: 'divider' },
      ...(noPart ? [textSection(noPartWords)] : []),
      ...(blocks.length === 0 ? [textSection(windowWords.noSteps)] : blocks),
      ...(buttons.length === 0 ? [] : [{ type: 'actions' as const, elements: buttons }]),
    ],
  });
}

/** @throws what the service refuses, such as `plan_not_found` */
export async function fillWindow(
  service: Pick<Service, 'runCard' | 'card' | 'listSteps'>,
  held: Held,
  viewer: Viewer,
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
  const asked = fillAsk(viewPlan(facts), press, held);
  if (asked !== null) return asked;
  if (press.action === 'details') return fillDetails(service, facts, held);
  const found = findForm(viewPlan(facts), press);
  return found === null
    ? noticeWindow(windowWords.outdated)
    : makeForm(found.form, found.about, held);
}
