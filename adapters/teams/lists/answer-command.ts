// `plans` and its subcommands, `help` and `settings`: what they show to the person who asks.
import {
  commandWords,
  describeLink,
  describeStats,
  exportWords,
  homeWords,
  writeTrace,
} from '#cards/chat-words.ts';
import { drawAdaptiveCard, drawAdaptiveText } from '#cards/expand.ts';
import { drawAdaptiveList, drawAdaptivePolicy } from '#cards/expand-teams.ts';
import { describeCommands, sayMore, titleGroup, titleList } from '#cards/plan-list.ts';
import { drawText, viewNotice } from '#cards/text.ts';
import { viewPlan } from '#cards/view-model.ts';
import { findPlans, readList, readSearch } from '#conversation/find-plans.ts';
import { readExport, readRecord } from '#conversation/read-record.ts';
import type { PlanCardFacts } from '#domain/chat/card.ts';
import type { ChatContent } from '#domain/chat/chat.ts';
import { CountersignError } from '#domain/errors.ts';
import { person } from '#domain/people/actor.ts';
import type { Export, PlanReads } from '#domain/service.ts';
import type { TeamsContext } from '../teams-context.ts';
import type { Scene } from '../transport/read-activity.ts';

/** `alone`: the answer is for the one who asked and nobody else. */
export type Command =
  | { name: 'plans'; said: string; alone: boolean }
  | { name: 'help' | 'settings'; alone: false };

const help = `${describeCommands('plans', [[...exportWords.asText]])}\n\nsettings: how I ask you and talk to you`;
const subcommands = /^(?:stats|help|plan-[\da-f]+|link(?:\s.*)?)$/i;
/** Bytes of a record that go through as one message. */
const recordAtMost = 20_000;

/** null: it is talk. A sentence that only begins with such a word is. */
export function readCommand(text: string): Command | null {
  const word = text.trim().replace(/^\//, '');
  if (/^help$/i.test(word)) return { name: 'help', alone: false };
  if (/^settings$/i.test(word)) return { name: 'settings', alone: false };
  const said = /^plans(?:\s+(\S.*))?$/i.exec(word);
  if (said === null) return null;
  const sub = said[1] ?? '';
  const isExport = readExport(sub) !== null;
  const isList = readList(sub) !== null || readSearch(sub) !== null;
  const known = isList || subcommands.test(sub) || isExport || text.trim().startsWith('/');
  return known
    ? { name: 'plans', said: sub, alone: isExport || /^(?:link\b|stats$)/i.test(sub) }
    : null;
}

export function drawNote(text: string): ChatContent {
  return { text, card: drawAdaptiveText(viewNotice(text)) };
}

/** One plan as its card says it, with nothing to press: decisions are made where its conversation is. */
function drawPlan(facts: PlanCardFacts): ChatContent {
  const view = { ...viewPlan(facts), asks: [], asks_more: 0, buttons: [] };
  return { text: drawText(view), card: drawAdaptiveCard(view) };
}

const fits = (text: string) => Buffer.byteLength(JSON.stringify(text)) <= recordAtMost;

/** Plain text, in which nothing is markup: it can be copied as it is. What is too long is where the rest of the plan is. */
async function answerExport(
  read: PlanReads,
  wanted: Export,
  viewer: { user: string; timezone: string },
): Promise<ChatContent> {
  // Whether the person may see such a plan is said first.
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

async function answerPlans(
  { service, plansFor, people, clock }: TeamsContext,
  said: string,
  scene: Scene,
): Promise<ChatContent> {
  const { id, timezone, account } = await people.find(scene);
  const asked = scene.activity === null ? {} : { once: `teams:${scene.tenant}:${scene.activity}` };
  const reader = { id, timezone, account: person(account, 'teams'), ...asked };
  const read = plansFor(scene.tenant, id);
  const wanted = readExport(said);
  if (wanted !== null) return answerExport(read, wanted, { user: id, timezone });
  const found = await findPlans({ read, service }, said, reader);
  switch (found.kind) {
    case 'list': {
      // In a channel or group everybody reads it.
      const readBy =
        scene.kind === 'personal' ? null : ((await service.shownNames([id])).get(id) ?? id);
      const { which, words, said: list, sections, page, next } = found;
      const { title, empty } = titleList(which, readBy, words);
      if (sections.length === 0)
        return drawNote(page === 1 ? empty : commandWords.noPage({ page }));
      const more = next === null ? '' : commandWords.nextPage({ command: `plans ${next}` });
      const name = page === 1 ? title : commandWords.page({ title, page });
      const shown = sections.map(({ group, plans, more: others }) => ({
        heading: group === null ? '' : titleGroup(group, readBy),
        plans,
        more: sayMore(group, others, 'plans'),
      }));
      const count = sections.reduce((sum, { plans }) => sum + plans.length, 0);
      const view = { title: name, sections: shown, more, list, reader: readBy };
      return { text: `${name}: ${count}`, card: drawAdaptiveList(view, clock.now().toISOString()) };
    }
    case 'stats':
      return drawNote(describeStats(found.stats, clock.now().toISOString()));
    case 'plan':
      return drawPlan(found.facts);
    case 'link':
      return drawNote(describeLink(found.outcome, 'plans link'));
    case 'help':
      return drawNote(help);
    case 'unknown':
      return drawNote(commandWords.unknown({ command: `plans ${found.word}`, help }));
    default:
      return found satisfies never;
  }
}

/** @throws what passes by itself */
export async function answerCommand(
  context: TeamsContext,
  command: Command,
  scene: Scene,
): Promise<ChatContent> {
  try {
    switch (command.name) {
      case 'plans':
        return await answerPlans(context, command.said, scene);
      case 'settings': {
        const { id } = await context.people.find(scene);
        const { policy } = await context.service.getPolicy(id);
        return { text: homeWords.policy, card: drawAdaptivePolicy(policy, '') };
      }
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
