// What the bot says in chats beside its cards: refusals, windows, empty pages. The same in Slack and in Teams, but for how a
// thing is written there. A translation replaces this file; a surface only says which words and with what in them.

/** Examples of a request; whoever reads one can say it as it is. */
const short = '“Create notes/standup.md saying Standup at 9:30”';
const example = '“Create notes/standup.md saying Standup at 9:30, then move it to archive/”';

export const pressWords = {
  elsewhere: 'This card belongs to another conversation. Nothing was decided.',
  elsewhereOnly: 'This card belongs to another conversation.',
  outdated: 'This card is out of date. See the latest card in this thread.',
  failed: "That didn't work. The card shows the current state. Try again, or message me.",
  tooLate: 'This is taking too long. Try again in a moment.',
  /** It is kept and goes on, but whoever pressed waits no longer for it. */
  later: 'Still working. The card will update when this is done.',
  keptLater: 'Still working. Type “settings” to see what was saved.',
  kept: 'Kept.',
  done: 'Done. The card will update in a moment.',
  unknownButton: 'This button is out of date. Type “status” to see where things stand.',
  /** On the button that shows all of a plan, and before a card that is shown to one person in a message of its own. */
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
  /** Over the reason, which the service gives. */
  refused: 'Not possible',
  close: 'Close',
  cancel: 'Cancel',
  note: 'Note (optional)',
  /** Beside the box of a question that is answered by ticking it. */
  yes: 'Yes',
  noSteps: 'This plan has no steps.',
  steps: { first: 'Uncheck steps you don’t want', more: 'More steps' },
  review: {
    title: ({ id }: { id: string }) => `Review ${id}`,
    approve: 'Approve',
    /** On one page of several. At most 24 characters, as a button of a Slack window has. */
    approveAll: ({ steps }: { steps: number }) => `Approve all ${steps.toLocaleString('en-US')}`,
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
  noneTicked: 'Select at least one step.',
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
    `Say what you want done, for example: ${short}. Type ${help} for more.`,
  /** @param mention how the bot is called there before it listens; null: it listens to everything */
  welcome: ({ mention, help }: { mention: string | null; help: string }) => {
    const how =
      mention === null
        ? `Tell me what you want done, for example: ${short}.`
        : `Mention me and say what you want done, for example: ${mention} ${short}.`;
    return `I'm Countersign. ${how}\nI draft a plan, and nothing runs until someone approves it. Type ${help} for more.`;
  },
} as const;

export const homeWords = {
  plans: 'Plans',
  waitsForYou: 'Waiting for you',
  waitsForOthers: 'Waiting for others',
  running: 'Running',
  more: ({ count, command }: { count: number; command: string }) => `And ${count} more: ${command}`,
  example: `For example: ${example}.`,
  promise: 'I draft a plan. Nothing runs until you approve it.',
  policy: 'Preferences',
  policyElsewhere: 'Preferences. Type “settings” to change them.',
  saidInConversations: 'Set in a conversation, for up to a day:',
} as const;

export const fileWords = {
  restElsewhere: 'There is more in the console and in `countersign plans`.',
} as const;
