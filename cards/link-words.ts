// What there is to say of linked accounts, in words; names are shown as they are, without meaning anything to a platform.
import type { LinkOutcome } from '#contracts/link.ts';
import { listOf } from '#contracts/words.ts';
import { showLine } from './plain.ts';

const name = (text: string): string => showLine(text, 200);
const list = (names: string[]): string => listOf(names.map(name));

/** @param command how one says `link` here: `/plans link`, `plans link`, `countersign link` */
export function describeLink(outcome: LinkOutcome, command: string): string {
  switch (outcome.kind) {
    case 'code':
      return [
        `Your code is ${outcome.code}. It works once, within 10 minutes. Send it from the other place where you use me:`,
        '',
        `/plans link ${outcome.code}        in Slack`,
        `plans link ${outcome.code}         to me in Teams`,
        `countersign link ${outcome.code}   in a terminal`,
        '',
        "Whoever sends it is treated as you from then on. Don't share it, and don't send a code that someone gave you.",
      ].join('\n');
    case 'linked':
      return `Linked. You are ${name(outcome.person)} wherever you are one of these: ${list(outcome.accounts)}. “${command} remove” undoes it.`;
    case 'shown':
      return outcome.accounts.length === 0
        ? `You are ${name(outcome.account)}, and nothing is linked to it. “${command}” gives you a code for it.`
        : `You are ${name(outcome.person)} wherever you are one of these: ${list(outcome.accounts)}. “${command} remove” takes ${name(outcome.account)} out.`;
    case 'removed':
      return [
        `Removed: here you are ${name(outcome.person)} and nobody else. No longer linked to ${list(outcome.accounts)}.`,
        outcome.former === outcome.person
          ? `What was asked for and approved as ${name(outcome.former)} stays yours alone.`
          : `What was asked for and approved as ${name(outcome.former)} stays with that name: from here you no longer see it as yours or decide about it.`,
        'About plans that were asked for until now you count as one person still: nobody counts twice, and where somebody other than the requester has to approve, none of you can approve what one of you asked for.',
      ].join(' ');
    default:
      return outcome satisfies never;
  }
}
