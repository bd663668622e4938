// Answers `plans`, `help` and `settings`.
import { buildWords } from '#cards/build-words.ts';
import { exportWords, homeWords, writeTrace } from '#cards/chat-words.ts';
import { drawAdaptiveCard, drawAdaptiveText } from '#cards/expand.ts';
import { drawAdaptiveList, drawAdaptivePolicy } from '#cards/expand-teams.ts';
import { describeCommands } from '#cards/plan-list.ts';
import { drawRecurringCard, type RecurringView } from '#cards/recurring.ts';
import { drawBuildButton } from '#cards/teams-build.ts';
import { drawText, viewNotice } from '#cards/text.ts';
import { viewPlan } from '#cards/view-model.ts';
import { answerPlans } from '#chat/answer-plans.ts';
import { readList, readSearch } from '#conversation/find-plans.ts';
import { readExport, readRecord } from '#conversation/read-record.ts';
import type { PlanCardFacts } from '#domain/chat/card.ts';
import type { ChatContent } from '#domain/chat/chat.ts';
import { CountersignError } from '#domain/errors.ts';
import { person } from '#domain/people/actor.ts';
import type { Export, PlanReads } from '#domain/service.ts';
import type { Scene } from '../signals/read-activity.ts';
import type { TeamsContext } from '../teams-context.ts';

/** `alone`: to the sender only. */
export type Command =
  | { name: 'plans'; text: string; alone: boolean }
  | { name: 'help' | 'settings' | 'build'; alone: false };

const help = `${describeCommands('plans', [[...buildWords.command], [...exportWords.asText]])}\n\nsettings: how I ask you and talk to you`;
const subcommands = /^(?:stats|help|reminders|plan-[\da-f]+(?: dry[ -]run)?|link(?:\s.*)?)$/i;
/** Bytes as one message. */
const maxRecord = 20_000;

/** Null for talk, even if it begins alike. */
export function readCommand(text: string): Command | null {
  const word = text.trim().replace(/^\//, '');
  if (/^help$/i.test(word)) return { name: 'help', alone: false };
  if (/^settings$/i.test(word)) return { name: 'settings', alone: false };
  const plansMatch = /^plans(?:\s+(\S.*))?$/i.exec(word);
  if (plansMatch === null) return null;
  const sub = plansMatch[1] ?? '';
  if (/^new$/i.test(sub)) return { name: 'build', alone: false };
  const isExport = readExport(sub) !== null;
  const isList = readList(sub) !== null || readSearch(sub) !== null;
  const known = isList || subcommands.test(sub) || isExport || text.trim().startsWith('/');
  return known
    ? { name: 'plans', text: sub, alone: isExport || /^(?:link\b|stats$|reminders$)/i.test(sub) }
    : null;
}

export function drawNote(text: string): ChatContent {
  return { text, card: drawAdaptiveText(viewNotice(text)) };
}

export function drawRecurring(view: RecurringView): ChatContent {
  return { text: view.title, card: drawRecurringCard(view) };
}

/** Decisions are made in the conversation. */
function drawPlan(facts: PlanCardFacts): ChatContent {
  const view = { ...viewPlan(facts), asks: [], asks_more: 0, buttons: [] };
  return { text: drawText(view), card: drawAdaptiveCard(view) };
}

const fits = (text: string) => Buffer.byteLength(JSON.stringify(text)) <= maxRecord;

/** Without markup, for copying; long records get a link. */
async function answerExport(
  read: PlanReads,
  wanted: Export,
  viewer: { user: string; timezone: string },
): Promise<ChatContent> {
  // Permission first.
  const { link } = await read.card(wanted.plan, viewer);
  const record = await readRecord(read, wanted, { fits, writeTrace });
  if (record === null) {
    const more = link === null ? [] : [exportWords.inConsole({ link })];
    return drawNote([exportWords.tooLarge(wanted), ...more].join('\n'));
  }
  const { text } = record;
  return text === ''
    ? drawNote(exportWords.nothingRun(wanted))
    : { text: `${exportWords.title(wanted)}\n\n${text}`, card: null };
}

async function answerList(
  { service, plansFor, people, clock }: TeamsContext,
  text: string,
  scene: Scene,
): Promise<ChatContent> {
  const { id, timezone, account } = await people.find(scene);
  const read = plansFor(scene.tenant, id);
  // In a channel or group all members read it.
  const readBy =
    scene.kind === 'personal' ? null : ((await service.shownNames([id])).get(id) ?? id);
  return answerPlans(
    { read, service },
    {
      ...{ text, command: 'plans', help, id, timezone, readBy, now: clock.now() },
      account: person(account, 'teams'),
      ...(scene.activity === null ? {} : { once: `teams:${scene.tenant}:${scene.activity}` }),
    },
    {
      note: drawNote,
      plan: drawPlan,
      list: (list, now) => ({ text: list.text, card: drawAdaptiveList(list, now) }),
      recurring: drawRecurring,
      record: (wanted) => answerExport(read, wanted, { user: id, timezone }),
    },
  );
}

/** @throws transient errors */
export async function answerCommand(
  context: TeamsContext,
  command: Command,
  scene: Scene,
): Promise<ChatContent> {
  try {
    switch (command.name) {
      case 'plans':
        return await answerList(context, command.text, scene);
      case 'settings': {
        const { id } = await context.people.find(scene);
        const settings = await context.service.getPolicy(id);
        return { text: homeWords.policy, card: drawAdaptivePolicy(settings, '') };
      }
      case 'build':
        return { text: buildWords.title, card: drawBuildButton() };
      case 'help':
        return drawNote(help);
      default:
        return command satisfies never;
    }
  } catch (error) {
    if (error instanceof CountersignError && error.passesAfterMs === null)
      return drawNote(error.message);
    throw error;
  }
}
