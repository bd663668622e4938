// Output shapes seen, for operations that declare none.
import { isObject, type Json } from '#domain/text.ts';
import type { JsonSchema, Operation, OperationSpec, SeenShapes } from '#domain/tool.ts';
import { readJsonText } from './resolve-arguments.ts';

const maxDepth = 4;
const maxKeys = 40;
const maxItems = 20;
const maxOperations = 2000;

/** Objects with many keys count as maps. */
function shapeOf(value: Json, depth = 0): JsonSchema {
  if (value === null) return {};
  if (Array.isArray(value)) {
    const items = value.slice(0, maxItems).map((item) => shapeOf(item, depth + 1));
    const [first, ...others] = items;
    return { type: 'array', ...(first === undefined ? {} : { items: others.reduce(join, first) }) };
  }
  if (!isObject(value)) return { type: typeof value };
  const keys = Object.keys(value);
  if (depth >= maxDepth || keys.length > maxKeys) return { type: 'object' };
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, shapeOf(inner, depth + 1)]),
    ),
    required: keys,
    additionalProperties: false,
  };
}

/** Includes members of JSON texts, which references may name. */
function shapeOfOutput(data: Json): JsonSchema {
  const inside = readJsonText(data);
  if (!Array.isArray(inside)) return shapeOf(isObject(data) ? { ...inside, ...data } : data);
  const { additionalProperties: _, ...open } = shapeOf(data);
  return open;
}

function join(one: JsonSchema, other: JsonSchema): JsonSchema {
  if (one.type === 'array' && other.type === 'array') {
    const [a, b] = [one.items, other.items];
    return isObject(a) && isObject(b) ? { type: 'array', items: join(a, b) } : a ? one : other;
  }
  if (isObject(one.properties) && isObject(other.properties)) {
    const [a, b] = [one.properties, other.properties];
    const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
    const needed = [one.required, other.required].map(
      (list) => new Set<unknown>(Array.isArray(list) ? list : []),
    );
    if (names.length > maxKeys) return { type: 'object' };
    return {
      type: 'object',
      properties: Object.fromEntries(
        names.map((name) => {
          const [x, y] = [a[name], b[name]];
          return [name, isObject(x) && isObject(y) ? join(x, y) : (x ?? y)];
        }),
      ),
      required: names.filter((name) => needed.every((list) => list.has(name))),
      ...([one, other].every((shape) => shape.additionalProperties === false)
        ? { additionalProperties: false }
        : {}),
    };
  }
  return one.type === other.type ? { type: one.type } : {};
}

/** Outputs of this process only. */
export function createSeenShapes(): SeenShapes {
  const shapes = new Map<string, JsonSchema>();
  const described = new WeakMap<OperationSpec, { shape: JsonSchema; spec: OperationSpec }>();
  return {
    note(name, data) {
      const known = shapes.get(name);
      if (known === undefined && shapes.size >= maxOperations) return;
      const seen = shapeOfOutput(data);
      const shape = known === undefined ? seen : join(known, seen);
      if (known === undefined || JSON.stringify(known) !== JSON.stringify(shape))
        shapes.set(name, shape);
    },
    describe(spec) {
      const shape = shapes.get(spec.name);
      if (spec.output !== undefined || shape === undefined) return spec;
      const known = described.get(spec);
      if (known?.shape === shape) return known.spec;
      const fresh: OperationSpec = { ...spec, output: shape, seen: true };
      described.set(spec, { shape, spec: fresh });
      return fresh;
    },
  };
}

/** Notes what it returns, if it declares no output. */
export function noteShapes(operation: Operation, shapes: SeenShapes): Operation {
  if (operation.output !== undefined) return operation;
  return {
    ...operation,
    async call(...given) {
      const result = await operation.call(...given);
      if ('data' in result) shapes.note(operation.name, result.data);
      return result;
    },
  };
}
