// Checks references between steps against schemas; reports only the impossible.
import { isReference, isTemplate } from '#domain/plan/argument-kinds.ts';
import { ArgumentReference, TemplateArgument } from '#domain/plan/arguments.ts';
import type { Json, JsonObject } from '#domain/text.ts';
import type { JsonSchema } from '#domain/tool.ts';
import { readTokens, toPointer } from './resolve-arguments.ts';
import { nameType, toArgumentName } from './validate-arguments.ts';
import { SchemaWalker, type ValueType } from './walk-schema.ts';

export type Producer = { id: string; operation: string; output: JsonSchema };

const shownNames = 8;

export class ReferenceChecker {
  readonly #walkers = new Map<JsonSchema, SchemaWalker>();

  /** Sentences starting with the argument's name. @param producerOf null if the output is unknown */
  check(
    args: JsonObject,
    input: JsonSchema,
    producerOf: (stepId: string) => Producer | null,
  ): string[] {
    return Object.entries(args)
      .flatMap(([name, value]) => findReferences(value, [name]))
      .flatMap(({ at, reference, inText }) => {
        const tokens = readTokens(reference.path);
        const name = toArgumentName(toPointer(at));
        if (tokens === null) {
          return [`${name} has the path ${reference.path}, which is not a JSON pointer (RFC 6901)`];
        }
        const producer = producerOf(reference.$from);
        const problem = inText
          ? this.#explainInText(name, at, input, reference, producer)
          : producer === null
            ? null
            : this.#explain(name, at, input, tokens, producer);
        return problem === null ? [] : [problem];
      });
  }

  /** Why `path` can never exist, to follow "takes" or "looks at". */
  checkPath(path: string, producer: Producer | null): string | null {
    const tokens = readTokens(path);
    if (tokens === null) return `has the path ${path}, which is not a JSON pointer (RFC 6901)`;
    if (producer === null) return null;
    const found = this.#walk(tokens, producer);
    return 'problem' in found ? `looks at ${found.problem}` : null;
  }

  #walk(
    tokens: string[],
    producer: Producer,
  ): { schema: SchemaWalker['root'] } | { problem: string } {
    const output = this.#walkerOf(producer.output);
    const step = `step ${producer.id} (${producer.operation})`;
    let schema = output.root;
    for (const [index, token] of tokens.entries()) {
      const member = output.memberOf(schema, token);
      if (member === false) {
        const place = describePlace(tokens.slice(0, index), step);
        const what = describeInside(output, schema, place, token);
        return { problem: `${toPointer(tokens)} of ${step}, but ${what}` };
      }
      schema = member;
    }
    return { schema };
  }

  #explainInText(
    name: string,
    at: string[],
    input: JsonSchema,
    { $from, path }: ArgumentReference,
    producer: Producer | null,
  ): string | null {
    const found = producer === null ? null : this.#walk(readTokens(path) ?? [], producer);
    if (found !== null && 'problem' in found) return `${name} takes ${found.problem}`;
    const needed = this.#neededAt(at, input);
    if (needed.size === 0 || needed.has('string')) return null;
    const whole = JSON.stringify({ $from, path });
    return `${name} needs ${nameTypes(needed)}, but {{${$from}${path}}} in a text gives text; write ${whole} for the value itself`;
  }

  #neededAt(at: string[], input: JsonSchema): Set<ValueType> {
    const wanted = this.#walkerOf(input);
    return wanted.typesOf(at.reduce((inside, key) => wanted.memberOf(inside, key), wanted.root));
  }

  #explain(
    name: string,
    at: string[],
    input: JsonSchema,
    tokens: string[],
    producer: Producer,
  ): string | null {
    const output = this.#walkerOf(producer.output);
    const step = `step ${producer.id} (${producer.operation})`;
    const found = this.#walk(tokens, producer);
    if ('problem' in found) return `${name} takes ${found.problem}`;
    const { schema } = found;
    const needed = this.#neededAt(at, input);
    const given = output.typesOf(schema);
    // The operation's schema explains an unknown argument better.
    if (needed.size === 0 || overlap(needed, given)) return null;
    const fitting = output
      .propertiesOf(schema)
      .filter((key) => overlap(output.typesOf(output.memberOf(schema, key)), needed))
      .map((key) => toPointer([...tokens, key]));
    const hint =
      given.has('object') && fitting.length > 0
        ? `; take ${fitting.slice(0, shownNames).join(' or ')}`
        : '';
    return `${name} needs ${nameTypes(needed)}, but ${describePlace(tokens, step)} is ${nameTypes(given)}${hint}`;
  }

  #walkerOf(schema: JsonSchema): SchemaWalker {
    const walker = this.#walkers.get(schema) ?? new SchemaWalker(schema);
    this.#walkers.set(schema, walker);
    return walker;
  }
}

function overlap(some: Set<ValueType>, others: Set<ValueType>): boolean {
  return [...some].some((type) => others.has(type));
}

function findReferences(
  value: Json,
  at: string[],
): { at: string[]; reference: ArgumentReference; inText: boolean }[] {
  if (isReference(value)) return [{ at, reference: ArgumentReference.parse(value), inText: false }];
  if (isTemplate(value)) {
    const parts = TemplateArgument.parse(value).$template;
    return parts.flatMap((part) =>
      typeof part === 'string' ? [] : [{ at, reference: part, inText: true }],
    );
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => findReferences(item, [...at, key]));
}

function describePlace(tokens: string[], step: string): string {
  return tokens.length === 0 ? `the output of ${step}` : `${toPointer(tokens)} of ${step}`;
}

function describeInside(
  walker: SchemaWalker,
  schema: SchemaWalker['root'],
  place: string,
  token: string,
): string {
  const types = walker.typesOf(schema);
  if (types.has('object')) {
    const names = walker.propertiesOf(schema);
    const more = names.length > shownNames ? ' and others' : '';
    return names.length === 0
      ? `${place} has no ${token}`
      : `${place} has only ${names.slice(0, shownNames).join(', ')}${more}`;
  }
  if (!types.has('array')) return `${place} is ${nameTypes(types)}, with nothing inside`;
  return /^\d+$/.test(token)
    ? `${place} is a list without item ${token}`
    : `${place} is a list; take one of its items, such as /0`;
}

function nameTypes(types: Set<ValueType>): string {
  const names = new Set(
    [...types].map((type) => {
      if (type === 'fraction') return 'number';
      return type === 'integer' && types.has('fraction') ? 'number' : type;
    }),
  );
  return [...names].map(nameType).join(' or ');
}
