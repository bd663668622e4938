// `plans` and its subcommands, `help` and `settings`: what they show to whoever asks.
import { commandWords, homeWords } from '#cards/chat-words.ts';
import { drawAdaptiveCard, drawAdaptiveText } from '#cards/expand.ts';
import { drawAdaptiveList, drawAdaptivePolicy } from '#cards/expand-teams.ts';
import { describeLink } from '#cards/link-words.ts';
import { describeCommands, describeCounts, listWords } from '#cards/plan-list.ts';
import { drawText } from '#cards/text.ts';
import { viewNotice } from '#cards/text-view.ts';
import { viewPlan } from '#cards/view-model.ts';
import { person } from '#contracts/actor.ts';
import type { PlanCardFacts } from '#contracts/card.ts';
import type { ChatContent } from '#contracts/chat.ts';
import { CountersignError } from '#contracts/errors.ts';
import { findPlans, readList } from '#conversation/find-plans.ts';
import type { TeamsContext } from '../teams-context.ts';
import type { Scene } from '../transport/read-activity.ts';

/** `alone`: the answer is for the one who asked and nobody else. */
export type Command =
  | { name: 'plans'; said: string; alone: boolean }
  | { name: 'help' | 'settings'; alone: false };

const help = `${describeCommands('plans')}\n\nsettings: how I ask you and talk to you`;
const subcommands = /^(?:stats|help|plan-[\da-f]+|link(?:\s.*)?)$/i;

/** null: it is talk. A sentence that only begins with such a word is. */
export function readCommand(text: string): Command | null {
  const word = text.trim().replace(/^\//, '');
  if (/^help$/i.test(word)) return { name: 'help', alone: false };
  if (/^settings$/i.test(word)) return { name: 'settings', alone: false };
  const said = /^plans(?:\s+(\S.*))?$/i.exec(word);
  if (said === null) return null;
  const sub = said[1] ?? '';
  const known = readList(sub) !== null || subcommands.test(sub) || text.trim().startsWith('/');
  return known ? { name: 'plans', said: sub, alone: /^link\b/i.test(sub) } : null;
}

export function drawNote(text: string): ChatContent {
  return { text, card: drawAdaptiveText(viewNotice(text)) };
}

/** One plan as its card says it, with nothing to press: decisions are made where its conversation is. */
function drawPlan(facts: PlanCardFacts): ChatContent {
  const view = { ...viewPlan(facts), asks: [], asks_more: '', buttons: [] };
  return { text: drawText(view), card: drawAdaptiveCard(view) };
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
  const found = await findPlans({ read, link: service.link }, said, reader);
  switch (found.kind) {
    case 'list': {
      const { title, empty } = listWords[found.which];
      const { which, plans, waiting, page, next } = found;
      if (plans.length === 0) return drawNote(page === 1 ? empty : commandWords.noPage({ page }));
      const more = next === null ? '' : commandWords.nextPage({ command: `plans ${next}` });
      const name = page === 1 ? title : commandWords.page({ title, page });
      const list = page === 1 ? which : `${which} ${page}`;
      const card = drawAdaptiveList(
        { title: name, plans, waiting, more, list },
        clock.now().toISOString(),
      );
      return { text: `${name}: ${plans.length}`, card };
    }
    case 'counts':
      return drawNote(describeCounts(found.counts, found.more));
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
