// Regular expressions must be linear: outside text must not hold the event loop.
// `recheck`'s results are stored, so only new expressions are checked; the long tests check all.
import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type Expression as Node, parseSync, Visitor } from 'oxc-parser';
import { readInstance, type Source } from './modules.ts';

export type Expression = { pattern: string; flags: string; at: string };

/** Replaces escaped text known only at run time, which is a literal. */
const someText = 'some';

function evaluate(node: Node, constants: ReadonlyMap<string, Node>): string | null {
  const join = (parts: (string | null)[]) =>
    parts.every((part) => part !== null) ? parts.join('') : null;
  switch (node.type) {
    case 'Literal':
      return typeof node.value === 'string' ? node.value : null;
    case 'Identifier': {
      const value = constants.get(node.name);
      return value === undefined ? null : evaluate(value, constants);
    }
    case 'TemplateLiteral':
      return join(
        node.quasis.flatMap(({ value }, at) => {
          const inside = node.expressions[at];
          return inside === undefined
            ? [value.cooked]
            : [value.cooked, evaluate(inside, constants)];
        }),
      );
    case 'TaggedTemplateExpression':
      return join(
        node.quasi.quasis.flatMap(({ value }, at) => {
          const inside = node.quasi.expressions[at];
          return inside === undefined ? [value.raw] : [value.raw, evaluate(inside, constants)];
        }),
      );
    case 'BinaryExpression':
      return node.left.type === 'PrivateIdentifier'
        ? null
        : join([evaluate(node.left, constants), evaluate(node.right, constants)]);
    case 'CallExpression':
      return evaluateCall(node, constants);
    default:
      return null;
  }
}

/** `RegExp.escape(…)`, `[…].join('|')` and `texts.map(RegExp.escape).join('|')`. */
function evaluateCall(
  { callee, arguments: [first] }: Extract<Node, { type: 'CallExpression' }>,
  constants: ReadonlyMap<string, Node>,
): string | null {
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return null;
  const { object, property } = callee;
  if (isEscape(callee)) return someText;
  if (property.name !== 'join' || first === undefined || first.type === 'SpreadElement')
    return null;
  const between = evaluate(first, constants);
  if (between === null) return null;
  if (object.type === 'ArrayExpression') {
    const parts = object.elements.map((one) =>
      one === null || one.type === 'SpreadElement' ? null : evaluate(one, constants),
    );
    return parts.every((part) => part !== null) ? parts.join(between) : null;
  }
  const isMapped =
    object.type === 'CallExpression' &&
    object.callee.type === 'MemberExpression' &&
    object.callee.property.type === 'Identifier' &&
    object.callee.property.name === 'map';
  const [change] = isMapped ? object.arguments : [];
  return change?.type === 'MemberExpression' && isEscape(change)
    ? [someText, 'other'].join(between)
    : null;
}

const isEscape = (node: Extract<Node, { type: 'MemberExpression' }>): boolean =>
  node.object.type === 'Identifier' &&
  node.object.name === 'RegExp' &&
  node.property.type === 'Identifier' &&
  node.property.name === 'escape';

export function collectExpressions({ path, text }: Source): {
  found: Expression[];
  unknown: string[];
} {
  const { program } = parseSync(path, text);
  const found: Expression[] = [];
  const unknown: string[] = [];
  const constants = new Map<string, Node>();
  const made: { node: Node; flags: string; at: string }[] = [];
  const at = (start: number) => `${path}:${text.slice(0, start).split('\n').length}`;
  const noteMade = (node: Extract<Node, { type: 'NewExpression' | 'CallExpression' }>) => {
    const { callee, arguments: args, start } = node;
    if (callee.type !== 'Identifier' || callee.name !== 'RegExp') return;
    const [pattern, flags] = args;
    if (pattern === undefined || pattern.type === 'SpreadElement') return;
    const flagText =
      flags?.type === 'Literal' && typeof flags.value === 'string' ? flags.value : '';
    made.push({ node: pattern, flags: flagText, at: at(start) });
  };
  new Visitor({
    Literal(node) {
      if ('regex' in node && node.regex)
        found.push({ pattern: node.regex.pattern, flags: node.regex.flags, at: at(node.start) });
    },
    VariableDeclarator({ id, init }) {
      if (id.type === 'Identifier' && init !== null) constants.set(id.name, init);
    },
    NewExpression: noteMade,
    CallExpression: noteMade,
  }).visit(program);
  for (const { node, flags, at } of made) {
    const pattern = evaluate(node, constants);
    if (pattern === null) unknown.push(at);
    else found.push({ pattern, flags, at });
  }
  return { found, unknown };
}

/** No repetition, or one of a single character after a fixed beginning. */
export function isPlain({ pattern, flags }: Omit<Expression, 'at'>): boolean {
  const bare = pattern.replaceAll(/\\[pP]\{[^}]{1,60}\}|\\.|\[(?:\\.|[^\]\\]){0,500}\]/gs, 'x');
  if (/\{\d{2,}|\{\d+,\}|,\d{2,}\}|\)\{|\[|\\/.test(bare)) return false;
  const open = bare.match(/[*+]/g)?.length ?? 0;
  if (open === 0) return true;
  const isAnchored = flags.includes('y') || (bare.startsWith('^') && !flags.includes('m'));
  return open === 1 && isAnchored && !/\)[*+]/.test(bare) && !hasOuterChoice(bare);
}

function hasOuterChoice(bare: string): boolean {
  let depth = 0;
  for (const character of bare) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character === '|' && depth === 0) return true;
  }
  return false;
}

const checkWithinMs = 120_000;

/** Null if linear. */
export function findFault({ pattern, flags }: Omit<Expression, 'at'>): string | null {
  if (isPlain({ pattern, flags })) return null;
  process.env.RECHECK_BACKEND = 'pure';
  // Large, and loaded only if something is new.
  const { checkSync } = createRequire(import.meta.url)('recheck') as typeof import('recheck');
  const limits = { timeout: checkWithinMs, attackTimeout: null, incubationTimeout: null };
  const found = checkSync(pattern, flags, limits);
  switch (found.status) {
    case 'safe':
      return null;
    case 'vulnerable':
      return `${found.complexity.summary}, for example with ${found.attack.pattern.slice(0, 100)}`;
    case 'unknown':
      return `nobody can tell (${found.error.kind}); make it simpler`;
    default:
      return found satisfies never;
  }
}

const digestOf = ({ pattern, flags }: Expression): string =>
  hash('sha256', `${pattern}/${flags}`, 'hex').slice(0, 16);

if (import.meta.main) {
  const root = join(dirname(import.meta.filename), '..', '..');
  const path = join(import.meta.dirname, 'linear-expressions.json');
  const anew = process.argv.includes('--all');
  const before: string[] = JSON.parse(readFileSync(path, 'utf8'));
  const known = new Set(anew ? [] : before);
  const read = readInstance(root).map(collectExpressions);
  const faults = read.flatMap(({ unknown }) =>
    unknown.map(
      (at) => `${at}: made of what only a run knows. Escape texts, or use compileLinear.`,
    ),
  );
  const found = read.flatMap((one) => one.found);
  const looked = new Map(found.map((one) => [digestOf(one), one]));
  const linear: string[] = [];
  for (const [digest, expression] of looked) {
    if (isPlain(expression)) continue;
    const fault = known.has(digest) ? null : findFault(expression);
    if (fault === null) linear.push(digest);
    else faults.push(`${expression.at}: /${expression.pattern.slice(0, 200)}/ is ${fault}`);
  }
  const text = `${JSON.stringify(linear.sort(), null, 2)}\n`;
  if (text !== readFileSync(path, 'utf8')) {
    writeFileSync(path, text);
    console.log('tests/codebase/linear-expressions.json is new: commit it.');
  }
  for (const fault of faults) console.error(fault);
  console.log(`${found.length} expressions looked at, ${faults.length} not linear`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
