// Instructions about web addresses, and the two that only pass time.
import { readContent } from '../content.ts';
import { readLeadVerb } from '../lexicon.ts';
import { findAddresses, findPaths } from '../paths.ts';
import { questions } from '../questions.ts';
import { ask, type Frame, intents } from '../reading.ts';
import { readSeconds, secondsForm } from '../seconds.ts';
import { unshield } from '../shield.ts';

const changing = /\b(POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\b/;

export const readWeb: Frame = (clause, context) => {
  const lead = readLeadVerb(clause);
  const url =
    findAddresses(clause)[0] ?? findAddresses(context.answers.get(questions.url()) ?? '')[0];
  if (url === undefined) {
    if (
      lead &&
      ['fetch', 'download'].includes(lead.verb) &&
      /\b(?:url|page|web|site|address|link)\b/i.test(lead.rest)
    ) {
      return ask(questions.url());
    }
    return null;
  }
  const outside = clause.replace(url, ' ');
  if (lead && isText(lead.verb, outside)) return null;
  const method =
    changing.exec(outside)?.[1] ??
    (/^(?:post|submit|send|put|patch)\b/i.test(clause)
      ? (/^(put|patch)\b/i.exec(clause)?.[1] ?? 'POST').toUpperCase()
      : null) ??
    (/^delete\b/i.test(clause) ? 'DELETE' : null);
  if (method === null) {
    const saved = readSavePath(outside, context);
    const fetch = { act: 'fetch', url } as const;
    if (saved === null) return intents(fetch);
    return intents(fetch, {
      act: 'write',
      path: saved,
      content: { kind: 'previous' },
      overwrite: null,
    });
  }
  const body = method === 'DELETE' ? null : readBody(clause, url, context);
  if (
    body === null &&
    ['POST', 'PUT', 'PATCH'].includes(method) &&
    !/\b(?:without|no|empty)\s+(?:a\s+)?body\b/i.test(clause)
  ) {
    const answer = context.answers.get(questions.body(url));
    if (answer === undefined) return ask(questions.body(url));
    return intents({ act: 'request', url, method, body: answer.trim() });
  }
  return intents({ act: 'request', url, method, body });
};

/** "write https://… to links.txt", "post https://… here": the address itself is the text. */
function isText(verb: string, outside: string): boolean {
  if (changing.test(outside)) return false;
  if (/^(?:write|append|add|put|note down|jot down|write down|record|insert|prepend)$/.test(verb))
    return (
      /\b(?:to|in|into|on)\b/i.test(outside) || /\b(?:saying|containing|with)\b/i.test(outside)
    );
  if (/^(?:post|share|send|say|announce|tell|publish|message|remind|ask)$/.test(verb))
    return (
      /\b(?:here|everyone|everybody|us|(?:the\s+)?(?:channel|chat|team|group|thread))\b|#\w/i.test(
        outside,
      ) || /^(?:say|announce|tell|remind|ask|share)$/.test(verb)
    );
  if (/^(?:create|make|generate|overwrite|change|update|touch|new)$/.test(verb)) return true;
  return (
    /\b(?:the\s+)?(?:url|link|address)\s+(?=\s)/i.test(outside) && /^(?:save|store)$/.test(verb)
  );
}

function readSavePath(outside: string, context: Parameters<Frame>[1]): string | null {
  if (!/\b(?:to|into|as|in)\b/i.test(outside)) return null;
  return findPaths(outside, context.shielded, true)[0]?.path ?? null;
}

/** 'POST "x" to URL', 'POST to URL with body {…}', 'send {…} to URL'. */
function readBody(clause: string, url: string, context: Parameters<Frame>[1]): string | null {
  const tail = clause.slice(clause.indexOf(url) + url.length);
  const marked =
    /\b(?:with|and)?\s*(?:the\s+)?(?:body|json|payload|data|content|text|message|saying|with)\b\s*[:=]?\s+([\s\S]+)$/i.exec(
      tail,
    )?.[1] ?? /^\s*:?\s*([{[\uE000-\uF8FF][\s\S]*)$/.exec(tail)?.[1];
  const before = /^(?:\w+\s+)([\s\S]*?)\s+(?:to|at)\s+(?:the\s+)?(?:url\s+|address\s+)?$/i.exec(
    clause.slice(0, clause.indexOf(url)),
  )?.[1];
  const text =
    marked ??
    (before &&
    !/^(?:a|an|the)?\s*(?:http\s+)?(?:get|post|put|patch|delete)?\s*(?:request)?$/i.test(before)
      ? before
      : undefined);
  if (text === undefined) return null;
  const content = readContent(text, context.shielded);
  return content.kind === 'text' ? content.text : unshield(text, context.shielded.quotes);
}

const lengthOfTime = new RegExp(secondsForm, 'i');

export const readWait: Frame = (clause, context) => {
  if (/^(?:do\s+nothing|no-?op|run\s+a\s+no-?op|make\s+no\s+changes?)[.!]?$/i.test(clause))
    return intents({ act: 'nothing' });
  const lead = readLeadVerb(clause);
  if (!lead || !['wait', 'sleep', 'pause'].includes(lead.verb)) return null;
  const answer = context.answers.get(questions.seconds()) ?? '';
  const length = (lengthOfTime.exec(lead.rest) ?? lengthOfTime.exec(answer))?.[0];
  if (length !== undefined) return intents({ act: 'wait', seconds: readSeconds(length) });
  const bare = /^(?:for\s+)?(\d+(?:\.\d+)?)$/.exec(lead.rest)?.[1] ?? answer;
  const seconds = Number.parseFloat(bare);
  return Number.isFinite(seconds) ? intents({ act: 'wait', seconds }) : ask(questions.seconds());
};
