// The bot's words in chats besides cards, replaceable by a translation.
import type { LinkOutcome } from '#domain/people/link.ts';
import type { PlanStatus } from '#domain/plan/plan.ts';
import type { PlanningTrace } from '#domain/planning/trace-view.ts';
import type { Export } from '#domain/service.ts';
import { quoteName, quoteWords } from '#domain/shown-text.ts';
import type { PlanStats } from '#domain/stats.ts';
import { countOf, listOf } from '#domain/words.ts';
import { formatAgo } from './times.ts';
import { type TraceNote, type TraceStage, viewTrace } from './trace-view.ts';
import { statusWords } from './words.ts';

/** Works as written. */
const short = '“Write "Standup at 9:30" to notes/standup.md”';
const example = '“Write "Standup at 9:30" to notes/standup.md, then move it to archive/”';

export const pressWords = {
  elsewhere: 'This card belongs to another conversation. Nothing was decided.',
  elsewhereOnly: 'This card belongs to another conversation.',
  outdated: 'This card is out of date. See the latest card in this thread.',
  failed: "That didn't work. The card shows the current state. Try again, or message me.",
  tooLate: 'This is taking too long. Try again in a moment.',
  /** Still in progress when the press is answered. */
  later: 'Still working. The card will update when this is done.',
  keptLater: 'Still working. Type “settings” to see what was saved.',
  kept: 'Saved.',
  done: 'Done. The card will update in a moment.',
  unknownButton: 'This button is out of date. Type “status” to see the latest.',
  details: 'Details',
  notInTime: "Slack didn't open the window in time. Try again.",
  notInTimeFor: ({ reply }: { reply: string }) =>
    `Slack didn't open the window in time. Try again, or reply in the thread: ${reply}`,
} as const;

export const windowWords = {
  loading: { title: 'One moment', text: 'Loading …' },
  elsewhere: { title: 'Not here', text: pressWords.elsewhere },
  outdated: { title: 'Out of date', text: pressWords.outdated },
  failed: { title: 'Not now', text: "That didn't work. Close this window and try again." },
  refused: 'Not possible',
  close: 'Close',
  cancel: 'Cancel',
  note: 'Note (optional)',
  yes: 'Yes',
  noSteps: 'This plan has no steps.',
  steps: { first: 'Uncheck steps you don’t want', more: 'More steps' },
  review: {
    title: ({ id }: { id: string }) => `Review ${id}`,
    approve: 'Approve',
    /** On one of several pages. Slack allows 24 characters. */
    approveAll: ({ steps }: { steps: number }) => `Approve all ${steps.toLocaleString('en-US')}`,
    continued: '(continued)',
    continues: 'Continues on the next page.',
    empty: 'empty',
    page: ({ page }: { page: number }) => `page ${page}`,
    /** @param all steps of the whole plan */
    pages: ({ page, last, all }: { page: number; last: boolean; all: string }) =>
      last
        ? `Page ${page}, the last. Approving covers ${all}, including earlier pages.`
        : `Page ${page}. Approving covers ${all}, including later pages.`,
    changed: ({ version }: { version: number }) =>
      `The plan has changed since you saw it. This is version ${version}.`,
    notApproved: ({ version }: { version: number }) =>
      `Nothing was approved: the plan has changed since you opened this window. This is version ${version}.`,
  },
  back: { plan: 'Back to the plan', list: 'Back to the list' },
  pages: { earlier: 'Previous page', later: 'Next page' },
} as const;

export const entryWords = {
  /** After a refusal, since the window with the text is closed. */
  wrote: ({ text }: { text: string }) => `You wrote: ${text}`,
  tooLong: ({ atMost }: { atMost: number }) => `Shorten it to ${atMost} characters.`,
  notStorable: 'It contains characters that cannot be stored. Type it again.',
  noneTicked: 'Select at least one step.',
} as const;

export const commandWords = {
  page: ({ title, page }: { title: string; page: number }) => `${title}, page ${page}`,
  nextPage: ({ command }: { command: string }) => `Next page: ${command}`,
  noPage: ({ page }: { page: number }) => `There is no page ${page}.`,
  unknown: ({ command, help }: { command: string; help: string }) =>
    `Unknown command: ${quoteWords(command, 200)}.\n\n${help}`,
} as const;

export const noModelWords = ({ help }: { help: string }) =>
  `No model is connected, so I read fixed commands (${help} lists them) and run playbooks. To let people ask in their own words, an admin connects a model in the console, under Settings, Models.`;

/** Why posting is impossible. */
const named = (shown: string) => quoteName(shown, 100);
export const placeWords = {
  archived: ({ shown }: { shown: string }) => `${named(shown)} is archived.`,
  notIn: ({ shown }: { shown: string }) =>
    `Countersign is not in ${named(shown)}. Someone there can add it: /invite @Countersign.`,
  requesterNotIn: ({ shown }: { shown: string }) =>
    `The requester is not in ${named(shown)}, so nothing is posted there for them.`,
  noChannel: ({ shown }: { shown: string }) =>
    `There is no channel ${named(shown)}, or it is private and Countersign is not in it.`,
  nobody: ({ shown }: { shown: string }) => `No channel and no person is called ${named(shown)}.`,
  severalPeople: ({ shown }: { shown: string }) =>
    `Several people are called ${named(shown)}. Give an address.`,
  noDirect: ({ shown }: { shown: string }) =>
    `Countersign can't write to ${named(shown)} directly.`,
  threadIn: ({ shown }: { shown: string }) => `a thread in ${shown}`,
  groupChat: 'a group chat',
} as const;

/** Why messages above a request were not read. */
export const threadWords = {
  limited: 'Slack limits how often this app may read threads. The limit did not reset in time.',
  smallPages:
    'Slack lets apps outside its Marketplace read 15 messages a minute. The newest were not read.',
  newestUnread: 'The newest messages could not be found in a few calls.',
  empty: 'Slack returned no messages from this thread.',
  notConsented:
    'Teams gives Countersign only the messages addressed to it here. To let it read threads, a team owner adds the app again.',
  groupChat:
    'Teams gives Countersign only the messages that mention it here. To let it read this chat, add the app to it again.',
} as const;

export const greetWords = {
  nothingSaid: ({ help }: { help: string }) =>
    `Say what you want done, for example: ${short}. Type ${help} for more.`,
  /** @param mention the bot's name if required, or null */
  welcome: ({
    mention,
    help,
    hasModel,
  }: {
    mention: string | null;
    help: string;
    hasModel: boolean;
  }) => {
    const how =
      mention === null
        ? `Tell me what you want done, for example: ${short}.`
        : `Mention me and say what you want done, for example: ${mention} ${short}.`;
    const more = hasModel ? `Type ${help} for more.` : noModelWords({ help });
    return `I'm Countersign. ${how}\nI draft a plan, and nothing runs until someone approves it. ${more}`;
  },
} as const;

export const homeWords = {
  plans: 'Plans',
  example: `For example: ${example}.`,
  promise: 'I draft a plan. Nothing runs until you approve it.',
  policy: 'Preferences',
  policyElsewhere: 'Preferences. Type “settings” to change them.',
  saidInConversations: 'Set in a conversation, for up to a day:',
} as const;

export const fileWords = {
  restElsewhere: 'See the rest in the console or with `countersign plans`.',
  notAttached: 'This file is not attached in this conversation.',
  tooLarge: ({ atMost }: { atMost: number }) =>
    `The file is too large: files of up to ${atMost / 1e6} MB are read.`,
  notFetched: 'The file could not be downloaded from the chat platform.',
  keptElsewhere: 'Slack does not keep this file: it is a link to another service.',
  expired: 'The file’s download link has expired. Attach it again.',
} as const;

export const installWords = {
  inWorkspace: ({ name }: { name: string }) => `Countersign was added to ${name}`,
  inOrganisation: ({ name }: { name: string }) =>
    `Countersign was added to the organisation ${name}`,
  next: 'Invite it to a channel with /invite @Countersign, or message it directly. Type /plans help for commands.',
  chooseWorkspaces: 'Choose the workspaces that can use it.',
  lacking: ({ scopes }: { scopes: string }) =>
    `Slack didn't grant ${scopes}, so some features won't work. Ask the person who runs Countersign to update "App Manifest" of the Slack app, then add it again.`,
  links: {
    again: 'Start again',
    choose: 'Choose workspaces',
    open: 'Open Slack',
    openInBrowser: 'Open Slack in the browser',
  },
  nothing: 'Nothing was installed',
  denied: 'You cancelled in Slack.',
  expired: 'This link expired after ten minutes.',
  reused: 'This link was already used. The installation has finished or failed.',
  elsewhere:
    'This installation was started in another browser, or cookies are blocked in this one.',
  notInvited:
    "This Countersign doesn't serve your workspace. Ask the person who runs it to add the workspace id to SLACK_ALLOWED_WORKSPACES.",
  overtaken: 'Someone else just added it to the same workspace. Theirs is in use.',
  tooMany: 'Too many requests from your address. Reload this page in a minute.',
  incomplete: "Slack didn't give permission.",
  misconfigured: "Countersign isn't set up correctly. Its log says what to fix.",
  unavailable: "Slack or the database didn't answer. Start again in a minute.",
} as const;

const name = (text: string): string => quoteName(text, 200);
const list = (names: string[]): string => listOf(names.map(name));

/** @param command `/plans link`, `plans link` or `countersign link` */
export function describeLink(outcome: LinkOutcome, command: string): string {
  switch (outcome.kind) {
    case 'code':
      return [
        `Your code is ${outcome.code}. It works once, within 10 minutes. Send it from your other account:`,
        '',
        `/plans link ${outcome.code}        in Slack`,
        `plans link ${outcome.code}         to me in Teams`,
        `countersign link ${outcome.code}   in a terminal`,
        '',
        "Anyone who sends it is treated as you. Don't share it, and don't send a code that someone gave you.",
      ].join('\n');
    case 'linked':
      return `Linked. You are ${name(outcome.person)} on all of these: ${list(outcome.accounts)}. To undo it: ${quoteWords(`${command} remove`, 40)}.`;
    case 'shown':
      return outcome.accounts.length === 0
        ? `You are ${name(outcome.account)}. No other account is linked. For a code: ${quoteWords(command, 40)}.`
        : `You are ${name(outcome.person)} on all of these: ${list(outcome.accounts)}. To unlink ${name(outcome.account)}: ${quoteWords(`${command} remove`, 40)}.`;
    case 'removed':
      return [
        `Unlinked. You are ${name(outcome.person)} here, no longer linked to ${list(outcome.accounts)}.`,
        outcome.former === outcome.person
          ? `Plans requested and approved as ${name(outcome.former)} stay yours.`
          : `Plans requested and approved as ${name(outcome.former)} stay with that name. You no longer see or decide them as yours here.`,
        'For plans requested until now you still count as one person: you count once as an approver, and where someone other than the requester must approve, none of these accounts can.',
      ].join(' ');
    default:
      return outcome satisfies never;
  }
}

const statuses = Object.keys(statusWords) as PlanStatus[];

function describeGap({ wanted, times, people, last_at }: PlanStats['gaps'][number], now: string) {
  const often = countOf(times, 'time');
  const all = people > 1 ? `${often}, by ${people} people` : often;
  const last = formatAgo(last_at, now);
  return `${quoteWords(wanted, 120)} · ${all} · last ${last}`;
}

/** @param now ISO */
export function describeStats({ plans, gaps, gap_days }: PlanStats, now: string): string {
  const counts = statuses.flatMap((status) => {
    const count = plans[status] ?? 0;
    return count === 0 ? [] : [`${count} ${statusWords[status]}`];
  });
  const lines = counts.length === 0 ? ['No plans yet.'] : counts;
  if (gaps.length === 0) return lines.join('\n');
  const title = `Most requested in the last ${gap_days} days, without a tool that can do it:`;
  return [...lines, '', title, ...gaps.map((gap) => describeGap(gap, now))].join('\n');
}

const exports = {
  export: 'as Markdown',
  log: 'its run log',
  trace: 'its planning trace',
  calendar: 'its dates as a calendar',
} satisfies Record<Export['kind'], string>;

export const exportWords = {
  asFile: ['PLAN-… export', 'the plan as a file; also: log, trace, calendar'],
  asText: ['PLAN-… export', 'the plan as text, only to you; also: log, trace, calendar'],
  title: ({ plan, kind }: Export) => `${plan}: ${exports[kind]}`,
  sent: ({ plan, kind }: Export) => `I sent you ${plan}, ${exports[kind]}, as a direct message.`,
  nothingRun: ({ plan }: Pick<Export, 'plan'>) => `${plan} hasn't run yet.`,
  tooLarge: ({ plan }: Pick<Export, 'plan'>) =>
    `${plan} is too large for a message. Download it from /api/plans/${plan}/plan.md, /log.jsonl, /trace and /schedule.ics.`,
  inConsole: ({ link }: { link: string }) => `See it in the console: ${link}`,
} as const;

const linesOfNotes = (notes: TraceNote[]) =>
  notes.map(({ symbol, text }) => `    ${symbol} ${text}`);

function linesOfStage({ title, at, facts, lines, end }: TraceStage): string[] {
  return [
    '',
    [title, ...facts, at].join(' · '),
    ...lines.flatMap(({ symbol, name, took, cost, confidence, text, notes }) => [
      `  ${symbol} ${[name, took, cost, confidence].filter((part) => part !== '').join(' · ')}`,
      ...(text === '' ? [] : [`    ${text}`]),
      ...linesOfNotes(notes),
    ]),
    ...(end === null ? [] : [`  → ${end.text}`, ...linesOfNotes(end.notes)]),
  ];
}

export function writeTrace(trace: PlanningTrace): string {
  const { planner, reason, stages, totals, warnings, empty } = viewTrace(trace);
  const head = [planner, reason, totals, ...warnings].filter((line) => line !== '');
  const body = empty === '' ? stages.flatMap(linesOfStage) : [empty];
  return `${[...head, ...body].join('\n')}\n`;
}
