// Parses large values with zod, lists item by item.
import { z } from 'zod';
import { isSliceOver, nextTurn } from './slices.ts';
import { isObject } from './text.ts';

type Context = z.core.ParseContext<z.core.$ZodIssue>;
type Result<T> =
  | { success: true; data: T; error?: never }
  | { success: false; data?: never; error: z.core.$ZodError };

/** `shell` accepts any items; `lists`: item schemas by key. */
type Split = { shell: z.ZodObject; lists: Map<string, z.ZodType> };

const splits = new WeakMap<z.core.$ZodType, Split | null>();

type Opened = { open: z.ZodType; element: z.ZodType };

function openList(field: z.core.$ZodType): Opened | null {
  if (field instanceof z.ZodOptional || field instanceof z.ZodDefault) {
    const wrapper: z.ZodOptional | z.ZodDefault = field;
    const inner = openList(wrapper.unwrap());
    return inner && { ...inner, open: rewrap(wrapper, inner.open) };
  }
  if (!(field instanceof z.ZodArray)) return null;
  const { element } = field;
  if (!(element instanceof z.ZodObject || element instanceof z.ZodDiscriminatedUnion)) return null;
  return { element, open: field.clone({ ...field.def, element: z.any() }) };
}

const rewrap = (wrapper: z.ZodOptional | z.ZodDefault, innerType: z.ZodType): z.ZodType =>
  wrapper instanceof z.ZodOptional
    ? wrapper.clone({ ...wrapper.def, innerType })
    : wrapper.clone({ ...wrapper.def, innerType });

/** Null without lists, or if checks need the items. */
function splitSchema(schema: z.core.$ZodType): Split | null {
  const known = splits.get(schema);
  if (known !== undefined) return known;
  let split: Split | null = null;
  if (schema instanceof z.ZodObject && (schema.def.checks ?? []).length === 0) {
    const shape: Record<string, z.core.$ZodType> = schema.shape;
    const lists = Object.entries(shape).flatMap(([key, field]) => {
      const opened = openList(field);
      return opened === null ? [] : [[key, opened] as const];
    });
    if (lists.length > 0)
      split = {
        shell: schema.extend(Object.fromEntries(lists.map(([key, { open }]) => [key, open]))),
        lists: new Map(lists.map(([key, { element }]) => [key, element])),
      };
  }
  splits.set(schema, split);
  return split;
}

/** `z.safeParse` that yields to the event loop. */
export async function parseInSlices<T>(
  schema: z.core.$ZodType<T>,
  value: unknown,
  context?: Context,
): Promise<Result<T>> {
  const split = splitSchema(schema);
  if (split === null || !isObject(value)) return z.core.safeParse(schema, value, context);
  const shell = z.core.safeParse(split.shell, value, context);
  const issues = shell.success ? [] : [...shell.error.issues];
  const lists: Record<string, unknown[]> = {};
  for (const [key, element] of split.lists) {
    const given = value[key];
    if (!Array.isArray(given)) continue;
    const items: unknown[] = [];
    const isNested = splitSchema(element) !== null;
    for (const [index, item] of given.entries()) {
      const one = isNested
        ? await parseInSlices(element, item, context)
        : z.core.safeParse(element, item, context);
      if (one.success) items.push(one.data);
      else
        issues.push(
          ...one.error.issues.map((issue) => ({ ...issue, path: [key, index, ...issue.path] })),
        );
      if (isSliceOver()) await nextTurn();
    }
    lists[key] = items;
  }
  if (!shell.success || issues.length > 0)
    return { success: false, error: new z.core.$ZodError(issues) };
  // Shell and items form the schema's output.
  return { success: true, data: { ...shell.data, ...lists } as T };
}
