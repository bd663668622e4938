// What this instance can do, in words made from the manifest, and the answers to small talk.
import { CountersignError } from '#domain/errors.ts';
import type { PlanStatus, PlanSummary } from '#domain/plan/plan.ts';
import type { OperationSpec } from '#domain/tool.ts';
import { listOf, trimTail } from '#domain/words.ts';
import type { PlannerTools } from '../ports.ts';
import { printMoment } from '../schedule/time-words.ts';
import { bindFamily, type Family } from './families.ts';

/** "read and write files in the workspace, call web addresses, and ask people" */
function describeAbilities(manifest: OperationSpec[]): string {
  const builtin = manifest.filter(({ source }) => source === 'builtin');
  const can = (...families: Family[]) =>
    families.some((family) => bindFamily(family, builtin) !== null);
  const files = (['read', 'write'] as const).filter((family) => can(family));
  const abilities = [
    ...(files.length > 0 ? [`${listOf([...files])} files in the workspace`] : []),
    ...(can('fetch', 'request') ? ['call web addresses'] : []),
    ...(can('post') ? ['post here'] : []),
    ...(can('remind') ? ['remind you'] : []),
    ...(can('calendar_read', 'calendar_add') ? ['keep your calendar'] : []),
    ...(can('ask') ? ['ask people'] : []),
  ];
  const others = manifest.filter(({ source }) => source !== 'builtin');
  for (const [tool, own] of Map.groupBy(others, (spec) => spec.tool)) {
    const onFiles = (['read', 'write', 'move', 'delete'] as const).filter(
      (family) => bindFamily(family, own) !== null,
    );
    const shown = own.slice(0, 4).map(({ operation }) => operation);
    const more = own.length > shown.length ? ` and ${own.length - shown.length} more` : '';
    abilities.push(
      onFiles.length > 0
        ? `${listOf([...onFiles])} files with ${tool}`
        : `use ${tool} (${shown.join(', ')}${more})`,
    );
  }
  const [last, ...rest] = abilities.reverse();
  if (last === undefined) return 'do nothing: no tools are connected';
  return rest.length === 0 ? last : `${rest.reverse().join(', ')}, and ${last}`;
}

export function describeCannot(wanted: string, manifest: OperationSpec[]): string {
  return `No connected tool can ${wanted}. I can ${describeAbilities(manifest)}.`;
}

const greeting =
  /^(?:(?:hi|hello|hey|good (?:morning|afternoon|evening))(?: (?:there|all|everyone|countersign))?|how(?:'s it going| are you(?: doing)?(?: today)?))$/i;
const thanks =
  /^(?:(?:many )?thanks|thank you|thx|cheers|great|perfect|nice|ok(?:ay)?)(?: (?:a lot|so much|very much|again|for (?:that|this|everything|your help)))?$/i;
const praise =
  /^(?:(?:that|it) (?:work(?:ed|s)|was|is|looks)(?: (?:perfect(?:ly)?|great|fine|good|well))?|you(?:'re| are) (?:the best|great|awesome)|well done|(?:good|great|nice) (?:job|work)|cool|awesome|lol|haha|oh|hm+|have a (?:nice|good|great) (?:day|evening|weekend)|(?:good)?bye|good night)$/i;
const help =
  /^(?:help|\?|what can (?:you|i) do|what do you do|who are you|what are you|how does this work|which commands are there|commands)[.!?\s]*$/i;
const clock =
  /^what(?: time is it|'s the time| is the time| day is it| is the date|'s the date)(?: now| today)?[.!?\s]*$/i;
const forbids = /^(?:please )?(?:don['’]?t|do not|never) (?!forget)/i;
/** What makes a request of what is forbidden, or comes behind it. */
const butOtherwise =
  /\b(?:until|till|unless|before|without|if|except|but|when|after)\b|[,;\n]|\.\s/i;
const yes = /^\s*(?:y|yes|yep|sure|ok|okay|please|please do|yes please|do|do it|go ahead)[.!\s]*$/i;

export const isYes = (said: string): boolean => yes.test(said.replaceAll(',', ''));

/** The greetings, thanks and other kind words that a text consists of; []: it says something else. */
function readSmallTalk(said: string): string[] {
  const words = said.replaceAll('’', "'").replace(/(?<=\p{L}) \p{Lu}\p{L}+[.!?\s]*$/u, '');
  const parts = words
    .split(/[.,!?:;()\n\p{Extended_Pictographic}]/u)
    .map((part) => part.trim())
    .filter(Boolean);
  const isKind = (part: string) => [greeting, thanks, praise].some((one) => one.test(part));
  return parts.every(isKind) ? parts : [];
}

/** A greeting or thanks, with or without a name. In front of the first command other kind words too; behind one they may be its text. */
export function isCourtesy(said: string, isFirst: boolean): boolean {
  const parts = readSmallTalk(said.replace(/, \p{Lu}\p{L}+$/u, ''));
  return parts.length > 0 && (isFirst || !parts.some((part) => praise.test(part)));
}

/** What needs no plan and no look-up; null: the text is about something else. */
export function answerTalk(
  text: string,
  manifest: OperationSpec[],
  now: Date,
  timezone: string,
): string | null {
  const said = text.trim();
  if (said.length > 200) return null;
  if (said === '') return 'Tell me what to do, or ask what is in the workspace.';
  const small = readSmallTalk(said);
  if (small.some((part) => !greeting.test(part))) return 'You are welcome.';
  if (small.length > 0) return `Hello. I can ${describeAbilities(manifest)}. What should I do?`;
  if (help.test(said)) return writeHelp(manifest);
  if (clock.test(said)) {
    const [date, time] = printMoment(now.toISOString(), timezone).split(' ');
    return `It is ${time} on ${date} (${timezone}).`;
  }
  return forbids.test(said) && !butOtherwise.test(trimTail(said, /[.!\s]/))
    ? 'Understood: I change nothing.'
    : null;
}

function writeHelp(manifest: OperationSpec[]): string {
  return [
    `I am the offline planner: no language model is configured. I can ${describeAbilities(manifest)}. Say it as plain commands:`,
    '- Create notes/today.md saying "Standup at 9:30", then move it to archive/',
    '- Delete all .log files in logs except today.log',
    '- Post "The build is green" here',
    '- Ask Ana to review notes.md',
    '- Remind me every weekday at 9:30 to post the standup',
    '- Fetch https://example.com and save it to page.txt',
    'docs/commands.md lists all of them. To ask in your own words, set OPENAI_API_KEY or connect another model (docs/tools.md).',
  ].join('\n');
}

const planNumber =
  /^(?:what|how|is|show|status|where|has|did|\/?plans?|PLAN-)[^\n]*?\b(PLAN-[0-9a-f]{8})\b/i;
/** Decided is where a plan is shown: what was read there is what counts. */
const planDecision =
  /^(?:please )?(?:approve|reject|cancel|pause|resume|retry) (?:the )?(?:plan )?(PLAN-[0-9a-f]{8})[.!\s]*$/i;
const planQuestion =
  /^(?:\/?(?:plans|status)(?: (?:all|mine|running|pending))?|(?:list|show|which|what)(?: me)?(?: all)?(?: the| my)? plans\b[^.]*|what(?:'s| is) (?:pending|waiting|running|going on)|what are you (?:doing|working on)|what needs (?:my )?approval)$/i;

/** About some plan, where none is named. */
const openDecision =
  /^(?:please )?(?:(?:approve|reject)(?:$|(?:,| (?:it|this|that|all|everything|only|but|(?:the )?(?:plan|rest|steps?)|\d+)\b).*)|use \S+ instead of \S+|(?:leave out|skip|drop|omit|remove|start|swap) (?:the )?(?:(?:first|last) step|steps? \d).*)$/i;

/** Questions about plans are answered from the store. */
export async function answerAboutPlans(
  text: string,
  tools: PlannerTools,
  runId: string,
): Promise<string | null> {
  const said = text.trim();
  if (said.length > 200) return null;
  const decided = planDecision.exec(said)?.[1];
  const id = decided ?? planNumber.exec(said)?.[1];
  if (id !== undefined) {
    try {
      const plan = await tools.getPlan(runId, `PLAN-${id.slice(5).toLowerCase()}`);
      if (decided === undefined) return describePlan(plan);
      const where = `Decide where it is shown: on its card, in the console, or with “countersign plans ${plan.id}” in a terminal.`;
      return `${describePlan(plan).replace(/\.?$/, '.')} ${where}`;
    } catch (error) {
      if (error instanceof CountersignError && error.code === 'plan_not_found')
        return `There is no ${id}.`;
      if (error instanceof CountersignError && error.code === 'plan_deleted') return error.message;
      throw error;
    }
  }
  if (openDecision.test(trimTail(said, /[.!\s]/)))
    return 'Nothing was decided or changed: no plan is named here. Say that below the plan, where changes begin with “propose changes:”. Say “plans” to see those that wait.';
  if (!planQuestion.test(trimTail(said, /[\s?.!]/))) return null;
  const running = /\b(?:running|going on|doing|working)\b/i.test(said);
  const status: PlanStatus[] = [
    ...(running ? [] : (['proposed', 'needs_review'] as const)),
    'approved',
    'executing',
    'stalled',
  ];
  const all = /\ball\b/i.test(said);
  const { plans } = await tools.listPlans(runId, { ...(all ? {} : { status }), limit: 20 });
  if (plans.length > 0) return plans.map((plan) => `- ${describePlan(plan)}`).join('\n');
  return running ? 'Nothing is running.' : 'Nothing is waiting. Ask me for something.';
}

function describePlan({ id, title, status, result_summary }: PlanSummary): string {
  const result = result_summary === null ? '' : `. ${result_summary}`;
  return `${id} "${title}": ${status.replaceAll('_', ' ')}${result}`;
}
