// A soak's requests: unique names, distinguishable effects.
import { call, propose, revise, wordsIn } from '../fixtures/model-calls.ts';
import type { Script, Turn } from '../fixtures/openai-double.ts';
import type { Chance } from '../fixtures/random.ts';

export const kinds = ['files', 'lines', 'post', 'say', 'read', 'unclear'] as const;
export type Kind = (typeof kinds)[number];

// The organisation's digit, and a number.
const namePattern = /\br(\d)(\d{4})\b/;

export const nameOf = (organisation: number, number: number) =>
  `r${organisation}${String(number).padStart(4, '0')}`;
export const findName = (text: string) => namePattern.exec(text)?.[0] ?? null;
export const findNames = (text: string) => text.match(new RegExp(namePattern, 'g')) ?? [];
export const digitOf = (name: string) => Number(name[1]);

/** Every third is unique to an organisation. */
export const fileOf = (name: string) =>
  Number(name.slice(2)) % 3 === 0 ? `only-${name.slice(1)}` : `file-${name.slice(2)}`;

const readPattern = /\bRead (done\/[\w-]+\.txt)/;

/** Understood with and without a model. */
export function wordsFor(kind: Kind | 'program', name: string, ledger: string): string {
  switch (kind) {
    case 'files':
      return `Create soak/${fileOf(name)}.txt saying "${name}", then move it to done/${fileOf(name)}.txt`;
    case 'lines':
      return `call log_append with {"line": "${name}-1"}, then call log_append with {"line": "${name}-2"}`;
    case 'post':
      return `POST {"step": "${name}-1"} to ${ledger}`;
    case 'say':
      return `Post "${name} is here" here`;
    case 'read':
      return readingWords(name);
    case 'unclear':
    case 'program':
      return `Sort ${name} out as we did last time`;
    default:
      return kind satisfies never;
  }
}

export const readingWords = (of: string) => `Read done/${fileOf(of)}.txt`;

export const changeWords = (name: string) =>
  `use last/${name}.txt instead of done/${fileOf(name)}.txt`;

/** Each happens exactly once if the plan completes. */
export function effectsOf(kind: Kind, name: string): string[] {
  if (kind === 'lines') return [`${name}-1`, `${name}-2`];
  return kind === 'post' ? [`${name}-1`] : [];
}

function stepsOf(kind: Kind, name: string, ledger: string): object[] {
  const step = (
    id: string,
    tool: string,
    operation: string,
    args: object,
    after: string[] = [],
  ) => ({
    id,
    description: `${operation} for ${name}`,
    tool,
    operation,
    args: JSON.stringify(args),
    after,
  });
  switch (kind) {
    case 'files':
      return [
        step('1', 'workspace', 'write', { path: `soak/${fileOf(name)}.txt`, content: name }),
        step(
          '2',
          'workspace',
          'move',
          { from: `soak/${fileOf(name)}.txt`, to: `done/${fileOf(name)}.txt` },
          ['1'],
        ),
      ];
    case 'lines':
      return [
        step('1', 'log', 'append', { line: `${name}-1` }),
        step('2', 'log', 'append', { line: `${name}-2` }, ['1']),
      ];
    case 'post':
      return [
        step('1', 'http', 'request', { method: 'POST', url: ledger, body: { step: `${name}-1` } }),
      ];
    case 'say':
      return [step('1', 'chat', 'post', { text: `${name} is here` })];
    case 'read':
    case 'unclear':
      return [];
    default:
      return kind satisfies never;
  }
}

/** A model that obeys, and sometimes is busy or disconnects. */
export function scriptModel(ledger: string, chance: Chance): Script {
  return (body): Turn => {
    const trouble = chance.next();
    if (trouble < 0.02) return { status: 429, headers: { 'retry-after': '1' } };
    if (trouble < 0.04) return { status: 500 };
    const contents = body.messages.flatMap(({ role, content }) =>
      role === 'user' && typeof content === 'string' ? [content] : [],
    );
    const name = contents.flatMap((text) => findName(text) ?? []).at(-1);
    if (name !== undefined && wordsIn(body).includes(changeWords(name))) {
      const args = { from: `soak/${fileOf(name)}.txt`, to: `last/${name}.txt` };
      return revise({ id: '2', args: JSON.stringify(args) });
    }
    const [, path] = readPattern.exec(wordsIn(body)) ?? [];
    if (path !== undefined) {
      const read = body.messages.findLast(({ role }) => role === 'tool');
      if (read === undefined) return call('workspace_read', { path });
      return { text: `${path}: ${JSON.stringify(read.content)}` };
    }
    const kind = kinds.find(
      (one) =>
        name !== undefined && contents.some((text) => text.includes(wordsFor(one, name, ledger))),
    );
    if (name === undefined || kind === undefined || kind === 'unclear')
      return { text: `What is to be done about ${name ?? wordsIn(body).slice(0, 40)}?` };
    return propose({
      title: `Do ${name}`,
      summary: `${name} is done.`,
      steps: stepsOf(kind, name, ledger),
      risks: [],
      confidence: 0.9,
    });
  };
}

export function draftPlan(name: string, ledger: string, chance: Chance) {
  const effects: string[] = [];
  const steps = Array.from({ length: chance.whole(4, 12) }, (_, index) => {
    const id = `s${index + 1}`;
    const effect = `${name}-${index + 1}`;
    const after = index > 0 && chance.next() < 0.6 ? [`s${chance.whole(1, index)}`] : [];
    const common = { id, description: `Step ${effect}`, after };
    const kind = chance.next();
    if (kind < 0.45) {
      effects.push(effect);
      const args = { line: effect, after_ms: chance.whole(0, 150) };
      const resources = chance.next() < 0.3 ? { line: 1 } : {};
      return { ...common, tool: 'log', operation: 'append', args, resources };
    }
    if (kind < 0.7) {
      effects.push(effect);
      const args = { method: 'POST', url: ledger, body: { step: effect } };
      return { ...common, tool: 'http', operation: 'request', args };
    }
    if (kind < 0.8)
      return {
        ...common,
        tool: 'control',
        operation: 'wait',
        args: { seconds: chance.whole(0, 3) },
      };
    if (kind < 0.85)
      return {
        ...common,
        tool: 'human',
        operation: 'confirm',
        args: { question: `Shall ${name} go on?` },
      };
    return { ...common, tool: 'control', operation: 'noop' };
  });
  return { draft: { title: `Program ${name}`, steps }, effects };
}
