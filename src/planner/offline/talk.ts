// What needs neither a plan nor a tool: greetings, help, how-to questions, and questions about plans.
import type { PlanStatus } from '#contracts/plan.ts';
import type { OperationSpec } from '#contracts/tool.ts';
import type { PlannerTools } from '../ports.ts';
import { describeAbilities } from './abilities.ts';
import { prohibition, readLeadVerb, stripPoliteness } from './lexicon.ts';
import { findPaths } from './paths.ts';
import { shield } from './shield.ts';
import { printClock, printDate } from './times.ts';

export type Talk = { text: string; reason: string };
export type TalkContext = { manifest: OperationSpec[]; now: Date; timezone: string };

const greeting =
  /^(?:hi|hello|hey|hallo|howdy|yo|good\s+(?:morning|afternoon|evening|day))(?:[\s,]+(?:there|bot|countersign|all|everyone|again|team))*[\s.!,]*$/i;
const thanks =
  /^(?:many\s+)?(?:thanks?|thank\s+you|thx|cheers|great|perfect|nice|awesome|cool|good\s+(?:job|work)|well\s+done)(?:[\s,]+(?:so\s+much|very\s+much|a\s+lot|a\s+bunch|again|bot|you|countersign|work|job))*[\s.!]*$/i;
const farewell = /^(?:bye|goodbye|see\s+you|good\s+night)(?:\s+(?:later|soon|then|bye))?[\s.!]*$/i;
const acknowledged =
  /^(?:ok|okay|k|alright|fine|sure|yes|no|yep|nope|i see|got it|understood)[\s.!]*$/i;
const howAreYou =
  /^(?:how\s+are\s+you(?:\s+(?:doing|today))*|how['’]?s\s+it\s+going|what['’]?s\s+up)[\s?!.]*$/i;
const help =
  /^\/?(?:help(?:\s+me)?|what\s+(?:can|do)\s+you\s+(?:do|offer|know)(?:\s+(?:for\s+(?:me|us)|here|exactly))?|what\s+are\s+you(?:\s+able\s+to\s+do|\s+capable\s+of)?|who\s+are\s+you|how\s+do(?:es)?\s+(?:you|this|it|countersign)\s+work|(?:show|list|tell)\s+(?:me\s+)?(?:your|the|all)\s+(?:tools?|abilities|commands|capabilities|options)|what\s+(?:tools|commands|operations)\s+(?:do\s+you\s+have|are\s+there|can\s+you\s+use)|how\s+can\s+you\s+help(?:\s+me)?|introduce\s+yourself)[\s?!.]*$/i;
const decisionWord =
  /^(?:approve(?:d)?|reject(?:ed)?|cancel|go ahead|do it|yes,? do it|proceed)[\s.!]*$/i;
const timeQuestion =
  /^what(?:['’]s|\s+is)?\s+(?:the\s+)?(?:current\s+)?(?:time|date|day)(?:\s+is\s+it)?(?:\s+(?:now|today|right now))?[\s?]*$|^what\s+day\s+is\s+(?:it|today)[\s?]*$/i;
const howTo =
  /^(?:how\s+(?:do|can|could|should|would|might)\s+(?:i|we|you|one)|how\s+to|what(?:['’]s|\s+is)\s+the\s+(?:best\s+)?way\s+to|is\s+(?:it|there)\s+(?:possible|a\s+way)(?:\s+(?:for\s+\w+\s+)?to)?|what\s+happens\s+(?:if|when)|am\s+i\s+allowed\s+to|may\s+i|(?:can|could|should)\s+(?:i|we))\b/i;
const ability = /^(?:can|could|are|do)\s+you\s+(?:able\s+to\s+|know\s+how\s+to\s+|also\s+)?/i;

export function talk(text: string, context: TalkContext): Talk | null {
  const clean = text.trim();
  const can = `I can ${describeAbilities(context.manifest)}.`;
  if (greeting.test(clean))
    return { text: `Hello. ${can} What should I plan?`, reason: 'a greeting' };
  if (thanks.test(clean)) return { text: 'You are welcome.', reason: 'thanks' };
  if (farewell.test(clean)) return { text: 'Goodbye.', reason: 'a farewell' };
  if (howAreYou.test(clean)) return { text: 'Ready. What should I plan?', reason: 'small talk' };
  if (acknowledged.test(clean))
    return {
      text: 'Tell me what to do next, or ask what is in the workspace.',
      reason: 'small talk',
    };
  if (decisionWord.test(clean))
    return {
      text: 'Nothing waits for your decision here. Ask for something first.',
      reason: 'a deciding word without a plan',
    };
  if (help.test(clean))
    return { text: describeHelp(context.manifest), reason: 'a question about what I can do' };
  if (timeQuestion.test(clean)) {
    return {
      text: `It is ${printClock(context.now, context.timezone)} on ${printDate(context.now, context.timezone)} (${context.timezone}).`,
      reason: 'a question about the time',
    };
  }
  if (howTo.test(clean)) return explainHow(clean, context);
  if (isAbilityQuestion(clean))
    return {
      text: `${can} Name the file or the words, and I draft a plan for you to approve.`,
      reason: 'a question about what I can do',
    };
  if (isProhibition(clean))
    return {
      text: 'Understood: I change nothing.',
      reason: 'a prohibition; nothing was asked for',
    };
  return null;
}

function describeHelp(manifest: OperationSpec[]): string {
  return [
    `I am the offline planner: no language model is configured. I can ${describeAbilities(manifest)}.`,
    'Whatever changes something becomes a plan first, and nothing runs until it is approved. For example:',
    '- Create notes/standup.md saying Standup at 9:30, then move it to archive/',
    '- Remind me every weekday at 9:30 to post the standup',
    '- What is in the workspace?',
  ].join('\n');
}

/** "how do I delete a file?": said, not done. */
function explainHow(text: string, context: TalkContext): Talk {
  const asked = text
    .replace(howTo, '')
    .replace(/[?\s]+$/, '')
    .trim();
  const verb = readLeadVerb(stripPoliteness(asked))?.verb;
  const example =
    verb === undefined
      ? '"Create notes.txt saying hello"'
      : (examples[verb] ?? `"${verb} …" with the names of what you mean`);
  return {
    text: `Ask me to do it, for example: ${example}. I draft a plan, and nothing happens until it is approved. I can ${describeAbilities(context.manifest)}.`,
    reason: 'a question about how to do something',
  };
}

const examples: Record<string, string> = {
  delete: '"Delete archive/old.md"',
  remove: '"Delete archive/old.md"',
  create: '"Create notes.txt saying hello"',
  write: '"Write hello to notes.txt"',
  move: '"Move notes.txt to archive/"',
  rename: '"Rename notes.txt to plan.txt"',
  copy: '"Copy notes.txt to backup/notes.txt"',
  remind: '"Remind me every weekday at 9:30 to post the standup"',
  post: '"Post \'Done\' here"',
  ask: '"Ask Ana to review notes.txt"',
};

/** "can you delete files?" asks; "can you delete a.txt?" is a request. */
function isAbilityQuestion(text: string): boolean {
  if (!ability.test(text) || !/\?\s*$/.test(text)) return false;
  const rest = text.replace(ability, '').replace(/[?\s]+$/, '');
  const shielded = shield(rest);
  if (findPaths(shielded.text, shielded).length > 0 || shielded.quotes.length > 0) return false;
  return (
    /^(?:please\s+)?\S+(?:\s+\S+)?\s+(?:files?|folders?|messages?|reminders?|web ?(?:pages?|addresses)|urls?|people|things|text)$/i.test(
      rest,
    ) || /^(?:\S+\s+)?(?:files|people|reminders|messages)$/i.test(rest)
  );
}

/** Nothing but things not to do. */
function isProhibition(text: string): boolean {
  const { text: hidden } = shield(text);
  const rest = hidden.trim();
  return (
    prohibition.test(rest) &&
    !/[.;,]|\b(?:but|and|instead|then)\b/i.test(rest.replace(/[.!]+$/, ''))
  );
}

const planQuestion =
  /^\/?plans?(?:\s+(?:all|mine|running|pending|stats|help))?[\s?.!]*$|^(?:list|show|which|what|are there|any|do (?:i|we) have)\b[^.]*\bplans?\b[^.]*$|^what(?:['’]s|\s+is|\s+are)?\s+(?:currently\s+)?(?:pending|waiting|running|going on|in progress|open|happening)(?:\s+(?:for\s+(?:me|us|approval)|now|right now|at the moment))*[\s?]*$|^(?:what\s+are\s+you\s+(?:doing|working on)(?:\s+now)?|status|what\s+needs\s+(?:my\s+)?approval)[\s?]*$/i;
const planNumber = /\bPLAN-[0-9a-f]{8}\b/i;

/** Questions about plans are answered from the store. null: the text is about something else. */
export async function answerAboutPlans(
  text: string,
  tools: PlannerTools,
  runId: string,
): Promise<Talk | null> {
  const clean = text.trim();
  const id = planNumber.exec(clean)?.[0];
  if (
    id !== undefined &&
    /^(?:what|how|is|show|status|where|has|did|list|\/?plans?|tell|PLAN-)/i.test(clean)
  ) {
    const plan = await tools.getPlan(runId, `PLAN-${id.slice(5).toLowerCase()}`);
    return { text: describePlan(plan) ?? `There is no ${id}.`, reason: 'a question about a plan' };
  }
  if (
    !planQuestion.test(clean) ||
    (!clean.startsWith('/') && findPaths(clean, shield(clean)).length > 0)
  )
    return null;
  const running = /\brunning|going on|in progress|doing|working\b/i.test(clean);
  const all = /\ball\b/i.test(clean);
  const status: PlanStatus[] | undefined = all
    ? undefined
    : running
      ? ['approved', 'executing', 'stalled']
      : ['proposed', 'needs_review', 'approved', 'executing', 'stalled'];
  const found = readPlans(
    await tools.listPlans(runId, { ...(status ? { status } : {}), limit: 20 }),
  );
  const lines = found.map(describePlan).filter((line) => line !== null);
  if (lines.length === 0)
    return {
      text: running ? 'Nothing is running.' : 'Nothing is waiting. Ask me for something.',
      reason: 'a question about plans',
    };
  return { text: lines.map((line) => `- ${line}`).join('\n'), reason: 'a question about plans' };
}

function readPlans(answer: unknown): unknown[] {
  if (Array.isArray(answer)) return answer;
  if (
    typeof answer === 'object' &&
    answer !== null &&
    'plans' in answer &&
    Array.isArray(answer.plans)
  )
    return answer.plans;
  return [];
}

function describePlan(plan: unknown): string | null {
  if (
    typeof plan !== 'object' ||
    plan === null ||
    !('id' in plan) ||
    !('title' in plan) ||
    !('status' in plan)
  )
    return null;
  const result =
    'result_summary' in plan && typeof plan.result_summary === 'string'
      ? `. ${plan.result_summary}`
      : '';
  return `${plan.id} "${plan.title}": ${String(plan.status).replaceAll('_', ' ')}${result}`;
}
