// “Plan this” on a chat message.
import { cutShown, showLine } from '#domain/shown-text.ts';
import { readAloud } from './dress-teams.ts';
import { type Drawn, expandCard, findTemplate } from './expand.ts';
import { escapeMacros } from './plain.ts';

export const planThisWords = {
  title: 'Plan this',
  what: 'What should be done?',
  placeholder: 'Leave it empty to plan what the message itself asks for',
  submit: 'Plan it',
  promise: 'Nothing runs until someone approves the plan.',
  from: ({ author }: { author: string }) => `Message from ${author}`,
  attached: ({ author }: { author: string }) => `Attached, from ${author}`,
  /** Content besides text. */
  unread: ({ what }: { what: string }) => `[Not read: ${what}]`,
  someone: 'somebody',
  notHere:
    'Countersign is not in this conversation yet. Add it here, then the plan can be posted below the message.',
  /** The person can't add it. */
  addFirst:
    'Nothing was planned: Countersign is not in this conversation. Type @Countersign there, add it, and choose “Plan this” again.',
  add: 'Add Countersign',
  nothing: 'There is no text in this message. Say what should be done.',
  tooLong: ({ atMost }: { atMost: number }) => `Shorten it to ${atMost} characters.`,
  cut: ({ atMost }: { atMost: number }) =>
    `The message is long: its first ${atMost.toLocaleString('en-US')} characters go along.`,
  heard: "I'm planning this. The plan will be in this thread.",
  /** The app can't post in the thread. */
  heardElsewhere: ({ link }: { link: string | null }) =>
    `I'm not in that channel, so the plan will be here.${link === null ? '' : ` It is about ${link}`}`,
  failed: "That didn't work. Nothing was planned. Try again.",
} as const;

const maxQuoted = 12_000;
const maxShown = 400;

/** The quoted message is data, not an instruction. */
export function askAboutMessage({
  what,
  author,
  text,
  link = null,
}: {
  what: string;
  author: string;
  text: string;
  link?: string | null;
}): string {
  const message = cutShown(text.trim(), maxQuoted);
  if (what === '') return message;
  if (message === '') return what;
  const quoted = message.split('\n').map((line) => `> ${line}`);
  const from = planThisWords.from({ author: showLine(author, 100) });
  return [what, '', `${from}${link === null ? '' : ` (${link})`}:`, ...quoted].join('\n');
}

const template = findTemplate('teams/plan-this.json');

export const planThisInput = 'what';

/** In Teams. @param problem of the last attempt */
export function drawPlanThis({
  author,
  text,
  problem,
}: {
  author: string;
  text: string;
  problem: string;
}): Drawn {
  const { what, placeholder, submit, promise, from } = planThisWords;
  const shown = cutShown(text.trim(), maxShown);
  return expandCard(template, {
    input: planThisInput,
    ...{ what, placeholder, submit, promise },
    title: escapeMacros(from({ author: showLine(author, 100) })),
    quoted: escapeMacros(shown),
    problem,
    install: false,
    speak: readAloud([from({ author }), shown, what]),
    fallback: promise,
  });
}

/** Teams adds the app and asks again. */
export function drawAddFirst(): Drawn {
  const { notHere, add } = planThisWords;
  return expandCard(template, {
    input: planThisInput,
    ...{ what: '', placeholder: '', submit: add, promise: '' },
    title: notHere,
    quoted: '',
    problem: '',
    install: true,
    speak: notHere,
    fallback: notHere,
  });
}
