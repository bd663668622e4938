// `/plans` and its subcommands. The answer is for the one who asked, and stands only as long as their session.

import type { types } from '@slack/bolt';
import { escapeMrkdwn } from '#cards/escape.ts';
import { drawBlocks } from '#cards/expand.ts';
import { viewPlan } from '#cards/view-model.ts';
import { nothingWaiting } from '#cards/words.ts';
import { CountersignError } from '#contracts/errors.ts';
import type { PlanStatus } from '#contracts/plan.ts';
import type { PlanListFilter, Service } from '#contracts/service.ts';
import type { SlackContext } from '../slack-context.ts';
import type { CommandSignal } from '../transport/read-signal.ts';
import {
  describeCounts,
  headerBlock,
  listBlocks,
  listedAtMost,
  plainSection,
  statuses,
} from './plan-lists.ts';

const help = [
  'Mention me, or write to me directly, and say what you want done. I draft a plan; nothing runs before it is approved.',
  '',
  '/plans             what waits for a decision, and what runs',
  '/plans mine        what you asked for',
  '/plans running     what runs now',
  '/plans all         every plan, the latest first',
  '/plans stats       how many stand where',
  '/plans PLAN-…      one plan in full',
  '',
  'In the thread of a plan: approve · approve 1-3 · reject · propose changes: … · cancel · status',
].join('\n');

const pending: PlanStatus[] = ['proposed', 'needs_review'];
const running: PlanStatus[] = ['approved', 'executing', 'stalled'];
/** Plans that are counted, in pages. */
const counted = { pages: 20, page: 100 };

type Answer = { text: string; blocks: types.KnownBlock[] };
type Reader = { id: string; timezone: string };

const say = (text: string): Answer => ({ text: escapeMrkdwn(text), blocks: [plainSection(text)] });

async function answerList(
  service: Service,
  { id }: Reader,
  now: Date,
  options: { title: string; empty: string; filter: Partial<PlanListFilter> },
): Promise<Answer> {
  const { plans, next_cursor } = await service.listPlans({
    limit: listedAtMost,
    ...options.filter,
  });
  if (plans.length === 0) return say(options.empty);
  const more = next_cursor === null ? [] : [plainSection(`These are the first ${listedAtMost}.`)];
  const text = `${options.title}: ${plans.length}`;
  const lines = listBlocks(plans, id, now.toISOString());
  return { text, blocks: [headerBlock(options.title), ...lines, ...more] };
}

async function answerStats(service: Service): Promise<Answer> {
  const counts = new Map<PlanStatus, number>(statuses.map((status) => [status, 0]));
  let cursor: string | null = null;
  for (let page = 0; page < counted.pages; page++) {
    const { plans, next_cursor } = await service.listPlans({
      limit: counted.page,
      ...(cursor === null ? {} : { cursor }),
    });
    for (const { status } of plans) counts.set(status, (counts.get(status) ?? 0) + 1);
    cursor = next_cursor;
    if (cursor === null) break;
  }
  return say(describeCounts(counts, cursor !== null));
}

/** One plan as its card says it, with nothing to press but what shows more: decisions are made where all see them. */
async function answerPlan(service: Service, id: string, reader: Reader): Promise<Answer> {
  const view = viewPlan(await service.card(id, { user: reader.id, timezone: reader.timezone }));
  const buttons = view.buttons.filter(({ press }) => press.action === 'details');
  const { text, blocks } = drawBlocks({ ...view, asks: [], asks_more: '', buttons });
  // Blocks of `cards/` are Slack's by construction.
  return { text, blocks: blocks as unknown as types.KnownBlock[] };
}

async function answer(service: Service, said: string, reader: Reader, now: Date): Promise<Answer> {
  const word = said.trim();
  if (/^plan-/i.test(word))
    return answerPlan(service, `PLAN-${word.slice(5).toLowerCase()}`, reader);
  switch (word.toLowerCase()) {
    case '':
    case 'pending':
      return answerList(service, reader, now, {
        title: 'Waiting and running',
        empty: nothingWaiting('by mentioning me.'),
        filter: { status: [...pending, ...running] },
      });
    case 'all':
      return answerList(service, reader, now, {
        title: 'All plans',
        empty: 'There are no plans yet.',
        filter: {},
      });
    case 'mine':
      return answerList(service, reader, now, {
        title: 'Your plans',
        empty: 'You have asked for nothing yet.',
        filter: { user: reader.id },
      });
    case 'running':
      return answerList(service, reader, now, {
        title: 'Running',
        empty: 'Nothing runs now.',
        filter: { status: running },
      });
    case 'stats':
      return answerStats(service);
    case 'help':
      return say(help);
    default:
      return say(`There is no “/plans ${word}”.\n\n${help}`);
  }
}

/** Answers a command through the address that Slack gave for it; no channel has to know the app for that. */
export async function answerCommand(
  { service, people, warn }: SlackContext,
  { team, command }: CommandSignal,
  now: Date,
): Promise<void> {
  const { id, timezone } = await people.find(team, command.user_id);
  const content = await answer(service, command.text, { id, timezone }, now).catch(
    (error: unknown) => {
      if (error instanceof CountersignError && error.passesAfterMs === null)
        return say(error.message);
      throw error;
    },
  );
  const response = await fetch(command.response_url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ response_type: 'ephemeral', ...content }),
    signal: AbortSignal.timeout(10_000),
  }).catch((cause: unknown) => {
    const text = 'Slack could not be reached to answer a command.';
    throw new CountersignError('tool_unavailable', text, { cause, passesAfterMs: 0 });
  });
  // The address holds for half an hour; whoever asked then has asked again.
  if (!response.ok) warn(`Slack did not take the answer to a command: ${response.status}.`);
}
