// What the bot says in chats beside its cards: refusals, windows, empty pages. The same in Slack and in Teams, but for how a
// thing is written there. A translation replaces this file; a surface only says which words and with what in them.

/** Examples of a request; whoever reads one can say it as it is. */
const short = '“Create notes/standup.md saying Standup at 9:30”';
const example = '“Create notes/standup.md saying Standup at 9:30, then move it to archive/”';

export const pressWords = {
  elsewhere: 'This card belongs to another conversation. Nothing was decided.',
  elsewhereOnly: 'This card belongs to another conversation.',
  outdated: 'This card is out of date. What holds now is on the last card of its thread.',
  failed: 'That did not work. What holds now is on the card; press again, or write to me.',
  tooLate: 'This takes too long just now. Press again in a moment.',
  /** It is kept and goes on, but whoever pressed waits no longer for it. */
  later: 'This takes a moment longer. The card changes when it is done.',
  keptLater: 'This takes a moment longer. Write “settings” to see what is kept.',
  kept: 'Kept.',
  done: 'Done. The card changes in a moment.',
  unknownButton: 'This button is out of date. Write “status” for what holds now.',
  /** On the button that shows all of a plan, and before a card that is shown to one person in a message of its own. */
  details: 'Details',
  notInTime: 'Slack did not open the window in time. Press again.',
  notInTimeFor: ({ reply }: { reply: string }) =>
    `Slack did not open the window in time. Press again. Or reply in the thread: ${reply}`,
} as const;

export const windowWords = {
  loading: { title: 'One moment', text: 'Loading …' },
  elsewhere: { title: 'Not here', text: pressWords.elsewhere },
  outdated: { title: 'Out of date', text: pressWords.outdated },
  failed: { title: 'Not now', text: 'That did not work. Close this window and press again.' },
  /** Over the reason, which the service gives. */
  refused: 'Not possible',
  close: 'Close',
  cancel: 'Cancel',
  note: 'Note (optional)',
  /** Beside the box of a question that is answered by ticking it. */
  yes: 'Yes',
  noSteps: 'It has no steps.',
  steps: { first: 'Uncheck steps you don’t want', more: 'More steps' },
  review: {
    title: ({ id }: { id: string }) => `Review ${id}`,
    approve: 'Approve',
    /** Behind the name of a step whose values began on the page before. */
    continued: '(continued)',
    continues: 'Continues on the next page.',
    empty: 'empty',
    page: ({ page }: { page: number }) => `page ${page}`,
    /** @param all the steps of the whole plan */
    pages: ({ page, last, all }: { page: number; last: boolean; all: string }) =>
      last
        ? `Page ${page}, the last. Approve covers ${all}, those on the pages before too.`
        : `Page ${page}; more follow. Approve covers ${all}, those on later pages too.`,
    changed: ({ version }: { version: number }) =>
      `The plan has changed since you saw it. This is version ${version}.`,
    notApproved: ({ version }: { version: number }) =>
      `Nothing was approved: the plan has changed since you opened this window. This is version ${version}.`,
  },
  back: { plan: 'Back to the plan', list: 'Back to the list' },
  pages: { earlier: 'Earlier steps', later: 'Later steps' },
} as const;

export const entryWords = {
  /** Behind why nothing was done: the window in which they wrote it is closed. */
  wrote: ({ text }: { text: string }) => `You wrote: ${text}`,
  tooLong: ({ atMost }: { atMost: number }) => `Shorten it to ${atMost} characters.`,
  notStorable: 'It contains characters that cannot be stored. Type it again.',
  noneTicked: 'Tick at least one step.',
} as const;

export const commandWords = {
  /** Over a further page of a list. */
  page: ({ title, page }: { title: string; page: number }) => `${title}, page ${page}`,
  nextPage: ({ command }: { command: string }) => `There are more: ${command}`,
  noPage: ({ page }: { page: number }) => `There is no page ${page}.`,
  unknown: ({ command, help }: { command: string; help: string }) =>
    `There is no “${command}”.\n\n${help}`,
} as const;

export const greetWords = {
  /** To somebody who mentioned the bot and said nothing. */
  nothingSaid: ({ help }: { help: string }) =>
    `Say what you want done, for example: ${short}. ${help} says the rest.`,
  /** @param mention how the bot is called there before it listens; null: it listens to everything */
  welcome: ({ mention, help }: { mention: string | null; help: string }) => {
    const how =
      mention === null
        ? `Tell me what you want done, for example: ${short}.`
        : `Mention me and say what you want done, for example: ${mention} ${short}.`;
    return `I am Countersign. ${how}\nI draft a plan, and nothing runs before somebody approves it. ${help} says the rest.`;
  },
} as const;

export const homeWords = {
  plans: 'Plans',
  waitsForYou: 'Waiting for you',
  waitsForOthers: 'Waiting for others',
  running: 'Running',
  more: ({ count, command }: { count: number; command: string }) => `And ${count} more: ${command}`,
  example: `For example: ${example}.`,
  promise: 'I draft a plan. Nothing runs before you approve it.',
  policy: 'How I work with you',
  policyElsewhere: 'How I work with you. Write “settings” to change it.',
  saidInConversations: 'Said in a conversation, and held to there for a day at most:',
} as const;

export const fileWords = {
  restElsewhere: 'The rest does not fit here. `countersign plans` and the console have all of it.',
} as const;
