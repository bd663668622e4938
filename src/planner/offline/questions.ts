// Every question the offline planner asks, in one place: an answer finds its way back by the question's own words.

export const questions = {
  content: (path: string) => `What should ${path} contain?`,
  addition: (path: string) => `What should be added to ${path}?`,
  where: (what: string) => `Where should ${what} be saved? For example, notes/today.md.`,
  which: (verb: string) => `Which file should I ${verb}? For example, notes/today.md.`,
  destination: (path: string, verb: string) => `Where should I ${verb} ${path} to?`,
  when: (text: string) => `When should I remind you of "${text}"?`,
  remindsOnlyYou: (person: string) =>
    `I can only remind you, not ${person}. Say "remind me …" or "ask ${person} to …".`,
  exact: (words: string) =>
    `Is "${words}" only text, or is there more to do? Say it again with the exact text in quotation marks.`,
  hour: (words: string) =>
    `Is "${words}" in the morning or in the afternoon? Say it again, such as 15:00.`,
  date: (words: string) => `Which day is "${words}"? Say it again, such as 1 December.`,
  whole: (path: string) => `Where is ${path}? Say it again with the whole path of each file.`,
  remindOf: () => 'What should I remind you of?',
  starts: (title: string) => `When is "${title}"?`,
  event: () => 'What is the event called?',
  post: () => 'What should I post?',
  ask: (person: string) => `What should I ask ${person}?`,
  body: (url: string) => `What should be sent to ${url}?`,
  seconds: () => 'How many seconds should I wait?',
  url: () => 'Which web address? It begins with https://.',
  argument: (name: string, operation: string, hint: string) =>
    `What should "${name}" be for ${operation}?${hint === '' ? '' : ` ${hint}`}`,
  choose: (names: string[]) => `Do you mean ${names.slice(0, -1).join(', ')} or ${names.at(-1)}?`,
  withoutRest: (wanted: string) =>
    `No connected tool can ${wanted}. Shall I plan the rest without it?`,
  fix: (problem: string, name: string) => `${problem} What should "${name}" be instead?`,
  repeat: (words: string, when: string) =>
    `I run a plan once and cannot repeat "${words}". Shall I remind you ${when} to do it?`,
  condition: (words: string) =>
    `I plan fixed steps and cannot decide on "${words}". What should I do, without the condition?`,
  unread: (words: string, clause: string) =>
    `I do not know what to do with "${words}" in "${clause}". How else would you say it? Names and texts can stand in quotation marks.`,
  depth: (what: string, place: string, below: number) =>
    `Further down in ${place} I find ${below} more of the ${what}. Do you mean those too, or only the ones directly in ${place}?`,
  timeOrText: (words: string) =>
    `Is "${words}" the time to do it, or part of the text? Answer "time" or "text".`,
  timeForAll: (words: string, clause: string) =>
    `Is "${words}" meant for all of it, or only for "${clause}"?`,
  pathOrText: (path: string) =>
    `Shall I post what ${path} says, or the words "${path}"? Answer "text" or "words".`,
  zone: (words: string, timezone: string) =>
    `When is "${words}" in ${timezone}? Say the time there, such as 15:00.`,
  past: (words: string) => `"${words}" is past. When should it be instead?`,
  eventEnd: (title: string) => `From when to when is "${title}"?`,
  tell: (person: string, words: string) =>
    `I can't write to one person alone. Shall I give ${person} "${words}" as a task to confirm?`,
  unclear: (words: string) =>
    `I didn't understand "${words}". I can create, move or delete files, post, or remind you. What should I do?`,
} as const;

const shapes = [
  /^What should .+ contain\?$/,
  /^What should be (?:added|sent) to .+\?$/,
  /^Where should .+\?(?: For example, .+)?$/,
  /^Which file should I .+\?/,
  /^When should I remind you of .+\?$/,
  /^What should I (?:remind you of|post|ask .+)\?$/,
  /^When is ".+"\?$/,
  /^What is the event called\?$/,
  /^How many seconds should I wait\?$/,
  /^I can only remind you, not .+\. Say "remind me/,
  /^Is ".+" only text, or is there more to do\?/,
  /^Is ".+" in the morning or in the afternoon\?/,
  /^Which day is ".+"\? Say it again/,
  /^Where is .+\? Say it again with the whole path/,
  /^Which web address\? It begins with https:\/\/\.$/,
  /^What should ".+" be for .+\?/,
  /^Do you mean .+ or .+\?$/,
  /^No connected tool can .+\. Shall I plan the rest without it\?$/,
  /What should ".+" be instead\?$/,
  /^I run a plan once and cannot repeat ".+"\. Shall I remind you .+ to do it\?$/,
  /^I plan fixed steps and cannot decide on ".+"\. What should I do, without the condition\?$/,
  /^I didn't understand ".+"\. I can/,
  /^I do not know what to do with ".+" in ".+"\. How else would you say it\?/,
  /^Further down in .+ I find \d+ more of the .+\. Do you mean those too, or only/,
  /^Is ".+" the time to do it, or part of the text\?/,
  /^Is ".+" meant for all of it, or only for ".+"\?$/,
  /^Shall I post what .+ says, or the words ".+"\?/,
  /^When is ".+" in \S+\? Say the time there, such as 15:00\.$/,
  /^".+" is past\. When should it be instead\?$/,
  /^From when to when is ".+"\?$/,
  /^I can't write to one person alone\. Shall I give .+ as a task to confirm\?$/,
];

/** The questions of ours that stand in something the bot said, in order. */
export function findQuestions(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim().replace(/^(?:[-•*]|\d+[.)])\s+/, ''))
    .filter((line) => shapes.some((shape) => shape.test(line)));
}
