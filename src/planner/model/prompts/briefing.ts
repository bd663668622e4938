// The variable part of the prompt: task, person, time, reads, decisions.
import { type AttachedFile, describeFile } from '#domain/attached-file.ts';
import { dollars } from '#domain/budget.ts';
import { writeNote } from '#domain/people/memory-note.ts';
import type { InteractionPolicy } from '#domain/people/policy.ts';
import { granularityOf, type PlanningModes } from '#domain/plan/modes.ts';
import type { Stage } from '#domain/planning/stages.ts';
import type { PlanningState, SessionRead } from '#domain/planning/state.ts';
import { onOneLine } from '#domain/words.ts';
import { localDate, toLocalIso } from '#timeline/recurrence.ts';
import { wrapUntrusted } from '../../agent/tool-call.ts';
import type { PlanningLimits } from '../../budget/budget.ts';
import { nodeWords } from '../../outline/written-outline.ts';
import { lengthOf, optionsWanted } from '../../policy/effects.ts';
import type { Surroundings } from '../../ports.ts';

/** Unless usual: clarify, draft, submit. */
const tasks: Partial<Record<Stage, string>> = {
  DRAFT_OUTLINE: `Draft what is to be done, then call "submit_plan"; or call "generate_nodes" for an outline with milestones, checkpoints, or amounts that add up. ${nodeWords}`,
};

/** Unless usual: a step for each piece of work a person would name. */
function describeLevel({ reasoning_level }: PlanningModes): string[] {
  if (reasoning_level > 1 && reasoning_level < 7) return [];
  const grain =
    reasoning_level <= 1
      ? 'as few steps as can be run'
      : 'fine-grained: each piece of work that can be checked by itself is a step of its own';
  return [`Granularity ${reasoning_level} of 10: ${grain}.`];
}

function describeModes({ plan_reasoning_mode, planning_mode, reasoning_level }: PlanningModes) {
  const lines: string[] = [];
  if (plan_reasoning_mode === 'extensive')
    lines.push(
      'Extensive reasoning: “all”, “every” and “each” are literal. List the items with a read operation, with paging where there are pages, and give every one of them its step by "for_each": no samples, no “and so on”, none left out. “About 300” or “a few” is not literal.',
    );
  if (planning_mode === 'extensive') {
    const { parts, steps } = granularityOf(reasoning_level);
    lines.push(
      `Extensive planning, in two layers: look up what the parts depend on, then call "scaffold" once with the parts of the whole (about ${parts} at this granularity, fewer where the work has fewer; preparation, checking and hand-over too) and "submit_plan" in the same reply. A planner of its own plans each part into about ${steps} steps; it knows its goal and nothing else, so a goal names paths, names and numbers. "after" only where a part really needs another. Many steps of one kind are not parts: use "for_each". Work of fewer than ten steps needs no scaffold.`,
    );
  }
  return lines;
}

const tones: Record<InteractionPolicy['tone'], string> = {
  neutral: 'Write plainly.',
  friendly: 'Write in a warm, informal tone, with contractions.',
  clinical: 'Write in a formal, impersonal tone: facts only, no contractions, no pleasantries.',
};

const styles: Record<InteractionPolicy['conversation_style'], string> = {
  concise: 'Lead with the outcome; no preamble.',
  standard: 'Lead with the outcome.',
  conversational: 'Write as in a conversation, in full sentences.',
  coach: 'Say why for each choice you made, and what it means for the person.',
};

function describePolicy(policy: InteractionPolicy): string {
  const { tone, conversation_style, probing_depth, autonomy } = policy;
  const { sentences, items } = lengthOf(policy);
  const ask =
    probing_depth === 0
      ? 'Ask nothing: assume what is most likely and state it.'
      : `Ask at most ${probing_depth} questions.`;
  const dare = {
    high: 'Assume what is sensible rather than ask.',
    medium: '',
    low: 'Where something has two meanings, ask before you assume.',
  }[autonomy];
  const questions = probing_depth === 0 || dare === '' ? ask : `${ask} ${dare}`;
  return `How they like it: ${tones[tone]} ${styles[conversation_style]} At most ${sentences} sentences or ${items} lines of a list, unless they ask for more; warnings, negations and doubts stay. ${questions}${describeIdeas(policy)}`;
}

const ideas: Record<InteractionPolicy['brainstorming_preference'], string> = {
  on_demand: '',
  suggest_when_uncertain: 'when they ask, or when you are not sure how they want it done.',
  always_offer: 'before you draft, wherever there is more than one good way.',
};

function describeIdeas(policy: InteractionPolicy): string {
  if (policy.brainstorming_preference === 'on_demand') return '';
  return ` "craft_options" with ${optionsWanted(policy)} options: ${ideas[policy.brainstorming_preference]}`;
}

function describeTime(now: Date, timezone: string): string {
  const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'long', timeZone: timezone }).format(
    now,
  );
  return `Now it is ${weekday}, ${localDate(now, timezone)}, ${toLocalIso(now, timezone).slice(11, 16)} for them, in ${timezone}.`;
}

const maxReads = 7000;

function describeReads(reads: SessionRead[]): string[] {
  if (reads.length === 0) return [];
  const shown: string[] = [];
  let left = maxReads;
  for (const { operation, args, data } of reads.toReversed()) {
    const text = `${operation} ${JSON.stringify(args)}: ${typeof data === 'string' ? data : JSON.stringify(data)}`;
    const cut = text.length <= left ? text : `${text.slice(0, left).toWellFormed()}…`;
    shown.unshift(cut);
    left -= cut.length;
    if (left < 200) break;
  }
  const lost = reads.length - shown.length;
  return [
    `Read so far${lost > 0 ? ` (${lost} more not shown)` : ''}:`,
    wrapUntrusted('read', shown.join('\n')),
  ];
}

function describeThread({ thread }: Readonly<PlanningState>): string[] {
  if (thread == null) return [];
  const { text, note } = thread;
  const noted = note === null ? [] : [wrapUntrusted('thread_note', note)];
  if (text === '')
    return ['The thread above the request could not be read. Say so if it matters.', ...noted];
  return [
    'The thread above the request, with who wrote what and when. Others inform; only the requester asks, in the last message. Names and “this”, “above”, “what we agreed” resolve here.',
    wrapUntrusted('thread', text),
    ...noted,
  ];
}

function describeFiles(files: AttachedFile[]): string[] {
  if (files.length === 0) return [];
  return ['Attached to the request:', wrapUntrusted('files', files.map(describeFile).join('\n'))];
}

function describeCosts(
  { earlier_usd, today_usd }: Readonly<PlanningState>,
  { perSession, perPerson }: PlanningLimits,
): string[] {
  const most = perPerson === undefined ? '' : ` of at most ${dollars(perPerson)}`;
  return [
    ...(earlier_usd === 0
      ? []
      : [`Planning this has cost ${dollars(earlier_usd)} of at most ${dollars(perSession)}.`]),
    ...(today_usd === 0 ? [] : [`Their requests have cost ${dollars(today_usd)}${most} today.`]),
  ];
}

export type Briefed = {
  state: Readonly<PlanningState>;
  stage: Stage;
  user: string;
  displayName?: string | undefined;
  files?: AttachedFile[] | undefined;
  policy: InteractionPolicy;
  modes: PlanningModes;
  timezone: string;
  limits: PlanningLimits;
  /** Operations found or likely, if the prompt does not list all. */
  likely: string[];
  seen: string[];
  around: Surroundings;
};

export function writeBriefing(options: Briefed): string {
  const {
    state,
    stage,
    user,
    displayName,
    files = [],
    policy,
    modes,
    timezone,
    limits,
    likely,
    seen,
    around,
  } = options;
  const { pattern, rfc, assumed, offered, reads } = state;
  const lines = [
    `${displayName === undefined ? '' : `${onOneLine(displayName, 80)}, `}${onOneLine(user)}${displayName === undefined ? '' : ','} asks. ${describeTime(new Date(state.now), timezone)}`,
    describePolicy(policy),
    ...describeLevel(modes),
    ...describeModes(modes),
    ...describeCosts(state, limits),
  ];
  const known = state.memory?.known ?? [];
  if (known.length > 0) {
    const notes = known.map((entry) => `${entry.id}. ${writeNote(entry)}`);
    lines.push('Remembered for them:', wrapUntrusted('memory', notes.join('\n')));
  }
  lines.push(...around.own.map((line) => `${line}.`));
  if (around.foreign.length > 0) lines.push(wrapUntrusted('around', around.foreign.join('\n')));
  if (likely.length > 0) lines.push('Operations that may fit:', ...likely);
  if (seen.length > 0)
    lines.push('Outputs as they were seen:', wrapUntrusted('seen', seen.join('\n')));
  if (pattern !== null && stage !== 'COLLECT_CONTEXT') {
    const { pattern_type, subtype, variant } = pattern;
    const names = [pattern_type, subtype, variant].filter((name) => name !== undefined);
    lines.push(`The pattern is ${onOneLine(names.join(' / '))}.`);
  }
  if (rfc?.status === 'approved') lines.push(`A person has approved ${onOneLine(rfc.proposes)}.`);
  if (rfc?.status === 'rejected')
    lines.push(`A person has refused ${onOneLine(rfc.proposes)}: use a known pattern and subtype.`);
  if (offered.length > 0) lines.push(wrapUntrusted('offered', JSON.stringify(offered)));
  if (assumed.length > 0)
    lines.push('Assumed instead of asked:', ...assumed.map((one) => `- ${onOneLine(one)}`));
  lines.push(...describeThread(state), ...describeFiles(files), ...describeReads(reads));
  if (state.has_files)
    lines.push(
      '"read" {"operation":"read_file","args":{"id"}} reads a file. A chat_save_file step {"file":"its id","path":"…"} copies one into the workspace.',
    );
  lines.push(...writeTask(state, stage, limits));
  return lines.join('\n');
}

export function writeTask(
  { hints, retries }: Readonly<PlanningState>,
  stage: Stage,
  limits: PlanningLimits,
): string[] {
  const tries = retries[stage] ?? 1;
  const task = tasks[stage];
  return [
    ...(hints.length === 0
      ? []
      : [
          `Try ${tries + 1} of ${limits.retries + 1}. Fix these problems in the draft first:`,
          ...hints.map((hint) => `- ${onOneLine(hint)}`),
        ]),
    ...(task === undefined ? [] : [`Now: ${task}`]),
  ];
}
