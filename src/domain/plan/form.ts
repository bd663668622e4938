// A step's form, from fields or JSON Schema.
import { z } from 'zod';
import type { Json } from '../text.ts';
import { capitalise, isStorableText } from '../words.ts';

/** Fit every surface, including Teams cards. */
export const formLimits = { fields: 20, options: 50, bytes: 6000 } as const;

export const fieldTypes = ['text', 'multiline', 'number', 'date', 'choice', 'boolean'] as const;

function words(max: number) {
  return z
    .string('must be text')
    .trim()
    .min(1, 'must not be empty')
    .max(max, `must have at most ${max} characters`)
    .refine(isStorableText, 'contains characters that cannot be stored');
}

const Option = z
  .union(
    [words(100), z.strictObject({ value: words(100), label: words(100).optional() })],
    'must be text, or { "value": …, "label": … }',
  )
  .transform((option) => {
    const { value, label } = typeof option === 'string' ? { value: option } : option;
    return { value, label: label ?? value };
  });

const bound = z.number('must be a number').nullish();

/** `due_date`, `dueDate` → `Due date` */
export function labelOf(name: string): string {
  const words = name.replaceAll(
    /([a-z\d])([A-Z])(?![A-Z])/g,
    (_, end, start) => `${end} ${start.toLowerCase()}`,
  );
  const text = words.replaceAll(/[_-]+/g, ' ').trim();
  return capitalise(text);
}

const FormField = z
  .strictObject({
    name: z
      .string('must be text')
      .regex(/^[A-Za-z][A-Za-z0-9_-]{0,59}$/, 'must be a letter and then letters, digits, _ or -'),
    label: words(200).optional(),
    type: z.enum(fieldTypes, `must be one of ${fieldTypes.join(', ')}`).default('text'),
    required: z.boolean('must be true or false').default(false),
    help: words(300).nullish(),
    options: z
      .array(Option, 'must be a list')
      .max(formLimits.options, `must have at most ${formLimits.options} options`)
      .default([]),
    min: bound,
    max: bound,
    whole: z.boolean('must be true or false').default(false),
  })
  .superRefine((field, context) => {
    const complain = (key: string, message: string) =>
      context.addIssue({ code: 'custom', path: [key], message });
    const { type, options, min, max, whole } = field;
    if (type === 'choice' && options.length === 0) complain('options', 'is needed for a choice');
    if (type !== 'choice' && options.length > 0) complain('options', 'is for choices only');
    const values = new Set(options.map(({ value }) => value));
    if (values.size < options.length) complain('options', 'must not name a value twice');
    if (type !== 'number' && (min != null || max != null || whole)) {
      complain('type', 'must be number where min, max or whole is given');
    }
    if (min != null && max != null && min > max) complain('min', 'must not be above max');
  })
  .transform(({ label, help, min, max, ...field }) => ({
    ...field,
    label: label ?? labelOf(field.name),
    help: help ?? null,
    min: min ?? null,
    max: max ?? null,
  }));
export type FormField = z.output<typeof FormField>;

const FormFields = z
  .array(FormField, 'must be a list of fields, or a JSON Schema of an object with "properties"')
  .min(1, 'must have at least one field; leave it out where none is needed')
  .max(formLimits.fields, `must have at most ${formLimits.fields} fields`)
  .superRefine((fields, context) => {
    const seen = new Set<string>();
    for (const [index, { name }] of fields.entries()) {
      if (seen.has(name)) {
        context.addIssue({ code: 'custom', path: [index, 'name'], message: `is "${name}" twice` });
      }
      seen.add(name);
    }
    if (new TextEncoder().encode(JSON.stringify(fields)).length > formLimits.bytes) {
      const message = `is too long for a card: at most ${formLimits.bytes} bytes with all its options. Ask for less, or in two steps`;
      context.addIssue({ code: 'custom', message });
    }
  });

const Property = z.looseObject({
  type: z.unknown().optional(),
  format: z.unknown().optional(),
  title: z.unknown().optional(),
  description: z.unknown().optional(),
  enum: z.unknown().optional(),
  oneOf: z.unknown().optional(),
  anyOf: z.unknown().optional(),
  minimum: z.unknown().optional(),
  maximum: z.unknown().optional(),
});

const ObjectSchema = z.looseObject({
  properties: z.record(z.string(), Property),
  required: z.array(z.string()).default([]),
});

const Titled = z.array(z.looseObject({ const: z.unknown(), title: z.unknown().optional() }));

export function optionsOf({ enum: values, oneOf, anyOf }: z.infer<typeof Property>): unknown {
  if (values !== undefined) return values;
  const titled = Titled.safeParse(oneOf ?? anyOf);
  if (!titled.success || titled.data.some((one) => one.const === undefined)) return undefined;
  return titled.data.map(({ const: value, title: label }) =>
    label === undefined ? value : { value, label },
  );
}

function typeOf(property: z.infer<typeof Property>): unknown {
  const { type, format } = property;
  if (optionsOf(property) !== undefined) return 'choice';
  if (type === 'integer') return 'number';
  if (type !== 'string') return type;
  return format === 'date' || format === 'multiline' ? format : 'text';
}

/** Invalid fields are left to their own check. */
function fieldsOfSchema({ properties, required }: z.infer<typeof ObjectSchema>): unknown[] {
  return Object.entries(properties).map(([name, property]) => ({
    name,
    type: typeOf(property),
    required: required.includes(name),
    ...(property.title === undefined ? {} : { label: property.title }),
    ...(property.description === undefined ? {} : { help: property.description }),
    ...(optionsOf(property) === undefined ? {} : { options: optionsOf(property) }),
    ...(property.minimum === undefined ? {} : { min: property.minimum }),
    ...(property.maximum === undefined ? {} : { max: property.maximum }),
    ...(property.type === 'integer' ? { whole: true } : {}),
  }));
}

/** `form[1].options` */
function placeOf(path: PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : `${text}.${String(key)}`),
    'form',
  );
}

export type ReadForm = { ok: true; fields: FormField[] } | { ok: false; problems: string[] };

/** All problems, with their places. */
export function readForm(form: Json): ReadForm {
  const schema = Array.isArray(form) ? null : ObjectSchema.safeParse(form);
  const parsed = FormFields.safeParse(
    schema?.success === true ? fieldsOfSchema(schema.data) : form,
  );
  if (parsed.success) return { ok: true, fields: parsed.data };
  const problems = parsed.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => `${placeOf([...issue.path, key])} is not known there`)
      : [`${placeOf(issue.path)} ${issue.message}`],
  );
  return { ok: false, problems: [...new Set(problems)] };
}

export function fieldsOf(form: Json | undefined): FormField[] {
  if (form === null || form === undefined) return [];
  const read = readForm(form);
  return read.ok ? read.fields : [];
}
