import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readArgument, spreadJson } from '../../../adapters/console/page/plan/argument.ts';
import { findChain, toggleClosed } from '../../../adapters/console/page/plan/closure.ts';
import {
  countDiff,
  toDiffParts,
  toNewRows,
} from '../../../adapters/console/page/plan/diff-rows.ts';
import { compareWords } from '../../../adapters/console/page/plan/word-diff.ts';

const step = (id: string, ...after: string[]) => ({ id, after: after.map((one) => ({ id: one })) });

describe('leaving a step out', () => {
  const steps = [step('1'), step('2', '1'), step('3', '2'), step('4')];

  it('leaves out what needs it, and taking one in again takes in what it needs', () => {
    const out = toggleClosed(new Set(), '2', findChain(steps, '2'));
    expect([...out.off].sort()).toEqual(['2', '3']);
    expect(out.also).toEqual(['3']);
    const back = toggleClosed(out.off, '3', findChain(steps, '3'));
    expect([...back.off]).toEqual([]);
    expect(back.also).toEqual(['2']);
  });

  it('never leaves a kept step without one that it needs, whatever is ticked in which order', () => {
    const plans = fc
      .array(fc.array(fc.nat(), { maxLength: 3 }), { minLength: 1, maxLength: 12 })
      .map((links) =>
        links.map((some, at) =>
          step(String(at), ...(at === 0 ? [] : some.map((link) => String(link % at)))),
        ),
      );
    fc.assert(
      fc.property(plans, fc.array(fc.nat(), { maxLength: 20 }), (some, presses) => {
        let off: ReadonlySet<string> = new Set();
        for (const press of presses) {
          const id = String(press % some.length);
          off = toggleClosed(off, id, findChain(some, id)).off;
        }
        for (const { id, after } of some)
          if (!off.has(id)) expect(after.filter((edge) => off.has(edge.id))).toEqual([]);
      }),
    );
  });

  it('ends for steps that wait for each other', () => {
    expect(findChain([step('a', 'b'), step('b', 'a')], 'a').needs).toEqual(['b']);
  });
});

describe('a difference', () => {
  const unchanged = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => ` line ${from + i}`);

  it('numbers both sides and folds what is unchanged far from a change', () => {
    const lines = [...unchanged(1, 10), '-old', '+new', ...unchanged(12, 4)];
    const parts = toDiffParts([{ old_start: 1, new_start: 1, lines }]);
    expect(parts.map(({ kind }) => kind)).toEqual(['fold', 'rows']);
    const [fold, rows] = parts;
    expect(fold?.kind === 'fold' && fold.rows).toHaveLength(7);
    const shown = rows?.kind === 'rows' ? rows.rows : [];
    expect(shown.map(({ sign, old, now }) => [sign, old, now])).toEqual([
      [' ', 8, 8],
      [' ', 9, 9],
      [' ', 10, 10],
      ['-', 11, null],
      ['+', null, 11],
      [' ', 12, 12],
      [' ', 13, 13],
      [' ', 14, 14],
      [' ', 15, 15],
    ]);
  });

  it('says how many lines lie between hunks that it was not given', () => {
    const parts = toDiffParts([
      { old_start: 1, new_start: 1, lines: ['-a', '+b'] },
      { old_start: 100, new_start: 100, lines: ['+c'] },
    ]);
    expect(parts[1]).toEqual({ kind: 'gap', lines: 98 });
  });

  it('counts lines by their signs, and remarks are neither', () => {
    const hunk = { old_start: 1, new_start: 1, lines: ['-a', '+b', '+c', '\\ No newline'] };
    expect(countDiff([hunk])).toEqual({ added: 2, removed: 1 });
    const [part] = toDiffParts([hunk]);
    expect(part?.kind === 'rows' && part.rows.at(-1)).toMatchObject({ sign: '\\', now: null });
  });

  it('takes the last break of a new file for no line of its own', () => {
    expect(toNewRows('a\nb\n').map(({ text }) => text)).toEqual(['a', 'b']);
    expect(toNewRows('a\n\nb').map(({ now }) => now)).toEqual([1, 2, 3]);
  });
});

describe('an argument', () => {
  it.each([
    ['text', { kind: 'text', text: 'text' }],
    [3, { kind: 'plain', text: '3' }],
    [null, { kind: 'plain', text: 'null' }],
    [
      { $from: '2', path: '/a' },
      { kind: 'output', step: '2', path: '/a' },
    ],
    [{ $decide: 'the subject' }, { kind: 'decided', what: 'the subject' }],
    [{ $artifact: 'art-1' }, { kind: 'artifact', id: 'art-1', path: '' }],
    [
      { $template: ['Hi ', { $from: '1', path: '/name' }] },
      { kind: 'template', pieces: ['Hi ', { step: '1', path: '/name' }] },
    ],
    [{ to: 'ana' }, { kind: 'record', entries: [['to', 'ana']] }],
    [['a'], { kind: 'list', items: ['a'] }],
  ])('is read for what it is: %j', (value, read) => {
    expect(readArgument(value)).toEqual(read);
  });

  it('is spread over lines where it is JSON in a text', () => {
    expect(spreadJson('{"a":1}')).toBe('{\n  "a": 1\n}');
    expect(spreadJson('{not json}')).toBeNull();
    expect(spreadJson('plain')).toBeNull();
  });
});

describe('two values', () => {
  it('are told apart by their words, and their pieces are the values themselves', () => {
    const { before, after } = compareWords('Standup at 9:00 sharp', 'Standup at 9:30 sharp');
    const join = (pieces: { text: string }[]) => pieces.map(({ text }) => text).join('');
    expect([join(before), join(after)]).toEqual(['Standup at 9:00 sharp', 'Standup at 9:30 sharp']);
    const changed = (pieces: { text: string; changed: boolean }[]) =>
      join(pieces.filter((piece) => piece.changed));
    expect(changed(before)).toMatch(/^(9:)?00$/);
    expect(changed(after)).toMatch(/^(9:)?30$/);
  });

  it('are compared as wholes where they are very long', () => {
    const { before } = compareWords('a '.repeat(9000), 'b');
    expect(before).toHaveLength(1);
  });
});
