// Message text from its parts.
import type { MessageParts, Notice, Progress, Task } from '#domain/chat/message-parts.ts';
import type { MessageLine } from '#domain/planning/asked-question.ts';
import { quoteName, quoteWords } from '#domain/shown-text.ts';
import { countOf, trimTail } from '#domain/words.ts';
import { tellAsked } from './asked-words.ts';
import { writeCall } from './calls-to-action.ts';
import { sayHours } from './times.ts';

const maxNotes = 3;
/** The source limits quotes. */
const maxQuote = 4000;

type Named = { plan_id: string; title: string };

const nameOf = ({ plan_id, title }: Named) => `${plan_id} ${quoteWords(title, 300)}`;

function tellProgress({ status, summary, by, ...plan }: Progress): string {
  const name = nameOf(plan);
  switch (status) {
    case 'completed':
      return `${name} is done. ${summary}`;
    case 'failed':
      return `${name} failed. ${summary}`;
    case 'stalled':
      return `${name} has stalled. ${summary}`;
    case 'cancelled':
      return by === null
        ? `${name} was cancelled. ${summary}`
        : `${name} was cancelled by ${quoteName(by, 120)}.`;
    case 'rejected':
      return `${name} was rejected by ${quoteName(by ?? 'a person', 120)}. Nothing has run.`;
    default:
      return status satisfies never;
  }
}

function tellTask({ step_id, label, status, who, question, call, waited, ...plan }: Task): string {
  const name = quoteName(label ?? step_id, 60);
  const asked = quoteWords(question ?? '', maxQuote);
  const whom = quoteName(who ?? 'you', 120);
  if (waited === null) {
    return status === 'unknown'
      ? `Step ${name} (${call}): ${asked} Check whether it happened.`
      : `Step ${name} waits for ${who === null ? 'you' : quoteName(who, 120)}: ${asked === '' ? 'It needs your answer.' : asked}`;
  }
  const where = `step ${name} of ${nameOf(plan)}`;
  const wait = sayHours(waited);
  return status === 'unknown'
    ? `Reminder for ${whom}: the outcome of ${where} has been unknown for ${wait}. ${asked}`
    : `Reminder for ${whom}: ${where} has waited for ${wait}. ${asked}`;
}

function tellNearWord({
  word,
  plan_id: id,
  version,
  started,
  said: typed,
}: Extract<Notice, { code: 'near_word' }>): string {
  const what = `version ${version} of ${id}`;
  switch (word) {
    case 'approve':
      return `Did you mean to approve ${what}? Press Approve on the card, or reply “approve”.`;
    case 'reject':
      return `Did you mean to reject ${what}? Press Reject on the card, or reply “reject”.`;
    case 'cancel':
      return `Did you mean to cancel ${id}? Reply “cancel”. ${started ? 'Completed steps stay done.' : 'Nothing has run.'}`;
    case 'undo':
      return started
        ? `Completed steps of ${id} stay done. Reply “cancel” to stop the rest, or ask for a plan that undoes them.`
        : `${id} hasn't run. Reply “undo” to ${version === 1 ? 'withdraw it and get your request back to edit' : `go back to version ${version - 1}`}.`;
    case 'change':
      return `To change ${what}, press Propose changes on the card, or reply ${quoteWords(`propose changes: ${typed}`, maxQuote)}.`;
    default:
      return word satisfies never;
  }
}

function tellNotice(notice: Notice): string {
  switch (notice.code) {
    case 'planning_abandoned':
      return "Planning didn't finish. Ask again, or ask for less at once.";
    case 'planning_stopped':
      return 'Planning stopped. Nothing has changed. Say what you want instead.';
    case 'step_blocked': {
      const who = notice.by === null ? '' : `, as ${quoteName(notice.by, 120)} says`;
      return `Step ${quoteName(notice.label ?? notice.step_id, 60)} (${quoteWords(notice.description, 300)}) is blocked${who}: ${quoteWords(notice.why, maxQuote)} Steps that depend on it are skipped; the rest continue. You can ask again.`;
    }
    case 'change_waits': {
      const { reasons, waited, by, why } = notice;
      if (why !== undefined)
        return `Changes to ${nameOf(notice)}: ${quoteWords(why, maxQuote)} It won’t run until someone approves it.`;
      const more = reasons.length > 1 ? ` And ${countOf(reasons.length - 1, 'more reason')}.` : '';
      return waited === null
        ? `A change to ${nameOf(notice)} by ${quoteName(by, 120)} needs approval: ${reasons[0] ?? ''}${more} It won't run until someone approves it.`
        : `Reminder: the change to ${nameOf(notice)} proposed by ${quoteName(by, 120)} has been waiting for approval for ${sayHours(waited)}. ${reasons[0] ?? ''}`;
    }
    case 'problem_found': {
      const { held, correcting } = notice;
      const hold =
        held === 0
          ? ''
          : ` ${countOf(held, 'step')} ${held === 1 ? 'is' : 'are'} on hold; everything else continues.`;
      const next = correcting ? ' I am working out a correction.' : '';
      return `Problem in ${nameOf(notice)}: ${quoteWords(notice.text, maxQuote)}${hold}${next}`;
    }
    case 'asked':
      return tellAsked(notice);
    case 'plan_changed':
      return `${notice.plan_id} was changed by ${quoteName(notice.by, 120)}: version ${notice.version} is below. Nothing runs until it is approved.`;
    case 'suggested':
      return `${quoteName(notice.by, 120)} suggests a change to ${nameOf(notice)}.`;
    case 'given_back': {
      const { version, by } = notice;
      return by === null
        ? `I couldn't make those changes. Version ${version} is still waiting for approval.`
        : `${quoteName(by, 120)} withdrew the changes. Version ${version} is still waiting for approval.`;
    }
    case 'undecided': {
      const left = countOf(notice.days_left, 'day');
      return notice.sent_back
        ? `${nameOf(notice)} was sent back and has no new version yet. It will be cancelled in ${left} unless someone replies.`
        : `${nameOf(notice)} is still waiting for a decision. It will be cancelled in ${left} unless someone decides.`;
    }
    case 'near_word':
      return tellNearWord(notice);
    default:
      return notice satisfies never;
  }
}

const toLines = (text: string): MessageLine[] => text.split('\n').map((line) => ({ text: line }));

/** True by code: the turn planned and ran nothing. */
const onlyAnswered = 'This is only an answer: nothing was planned or run for it.';

/** Without the call to action. @param text for plain messages */
function linesOf(parts: MessageParts | null, text: string): MessageLine[] {
  switch (parts?.kind) {
    case 'question':
    case 'budget':
      return parts.facts.lines;
    case 'answer':
    case 'gate':
    case 'rfc':
    case 'escalation':
    case 'aborted':
    case 'confirm': {
      const { lines, unplanned } = parts.facts;
      return unplanned === true ? [{ text: onlyAnswered }, ...lines] : lines;
    }
    case 'proposal': {
      const { summary, notes, plan_id, version } = parts.facts;
      const named = version === 1 ? plan_id : `${plan_id}, version ${version}`;
      const more = notes.length - maxNotes;
      return [
        { text: `${trimTail(summary, /[.\s]/)}. (${named})`, on_card: true },
        ...notes.slice(0, maxNotes).map((note) => ({ text: note })),
        ...(more > 0 ? [{ text: `And ${more} more.` }] : []),
      ];
    }
    case 'progress':
      return [{ text: tellProgress(parts.facts).trim() }];
    case 'task':
      return [{ text: tellTask(parts.facts).trim() }];
    case 'notice':
      return [{ text: tellNotice(parts.facts).trim() }];
    case 'preference':
      return [{ text: parts.facts.confirmation }];
    case 'said':
    case 'text':
    case undefined:
      return toLines(text);
    default:
      return parts satisfies never;
  }
}

/** @param text stored @param calls whether the call to action is open */
export function writeMessage(parts: MessageParts | null, text: string, calls = true): string {
  const lines = linesOf(parts, text).map((one) => one.text);
  const action = parts?.action ?? null;
  return [...lines, ...(calls && action !== null ? [writeCall(action)] : [])].join('\n');
}

/** The card's buttons are the call to action. */
export function writeAboveCard(parts: MessageParts | null, text: string): string {
  return linesOf(parts, text)
    .filter((one) => one.on_card !== true)
    .map((one) => one.text)
    .join('\n');
}
