// Reads the arguments an operation takes out of its JSON Schema, and what each is for by its name.
import { isObject, type Json, type JsonObject } from '#domain/text.ts';
import type { JsonSchema, OperationSpec } from '#domain/tool.ts';

const types = ['string', 'number', 'integer', 'boolean', 'array', 'object'] as const;
type FieldType = (typeof types)[number] | 'any';

export type Field = {
  name: string;
  required: boolean;
  type: FieldType;
  values: Json[] | null;
  /** Of a list: its items. Of an object: itself, with its own fields. */
  items: JsonSchema | null;
  schema: JsonSchema;
};

/** Caches: a command about a folder reads both for thousands of steps. */
const known = {
  fields: new WeakMap<JsonSchema, readonly Field[]>(),
  roles: new WeakMap<readonly Field[], Map<Role, Field | undefined>>(),
};

/** The fields of an object schema, required ones first, otherwise in their order. */
export function readFields(schema: JsonSchema): readonly Field[] {
  const fields = known.fields.get(schema) ?? listFields(schema);
  known.fields.set(schema, fields);
  return fields;
}

function listFields(schema: JsonSchema): Field[] {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  const fields = Object.entries(properties)
    .filter((entry): entry is [string, JsonSchema] => isObject(entry[1]))
    .map(([name, field]) => ({
      name,
      required: required.includes(name) && field.default === undefined,
      type: readType(field),
      values: Array.isArray(field.enum) ? (field.enum as Json[]) : null, // enum is JSON by definition
      items: isObject(field.items) ? field.items : null,
      schema: field,
    }));
  return [...fields.filter((f) => f.required), ...fields.filter((f) => !f.required)];
}

function readType(schema: JsonSchema): FieldType {
  const named: unknown[] = [schema.type].flat();
  const direct = types.find((type) => named.includes(type));
  if (direct !== undefined) return direct;
  const options = [schema.anyOf, schema.oneOf].find(Array.isArray);
  const first = options?.find((option) => isObject(option) && option.type !== 'null');
  if (isObject(first)) return readType(first);
  return Array.isArray(schema.enum) ? 'string' : 'any';
}

/** What an argument is for: the names it may have, without case, `_` and `-`, the likeliest first. */
const roles = {
  path: 'path file filename filepath target targetpath document uri directory folder dir directorypath dirpath',
  from: 'from source src sourcepath oldpath frompath origin sourcefile path',
  to: 'to destination dest dst destinationpath newpath topath targetpath target destinationfile',
  content: 'content contents text data body filetext filecontent value',
  url: 'url uri href link address',
  text: 'text message body content msg note title',
  question: 'question task text message prompt',
  assignee: 'assignee person user who to',
  at: 'at when time start startsat datetime starttime',
  end: 'end endsat until endtime',
  rrule: 'rrule recurrence rule repeat',
  timezone: 'timezone tz zone',
  title: 'title summary name subject text',
  conversation: 'conversation channel room thread',
  seconds: 'seconds duration durationseconds secs',
  method: 'method verb',
  recursive: 'recursive deep',
  overwrite: 'overwrite force replace',
};
export type Role = keyof typeof roles;

export function simplifyName(name: string): string {
  return name.toLowerCase().replace(/[_\-\s]/g, '');
}

export function findField(fields: readonly Field[], role: Role): Field | undefined {
  const found = known.roles.get(fields) ?? new Map<Role, Field | undefined>();
  known.roles.set(fields, found);
  if (!found.has(role)) found.set(role, searchField(fields, role));
  return found.get(role);
}

function searchField(fields: readonly Field[], role: Role): Field | undefined {
  for (const name of roles[role].split(' ')) {
    const field = fields.find((candidate) => simplifyName(candidate.name) === name);
    if (field) return field;
  }
  return undefined;
}

/** The words of a name: `read_text_file`, `get-sum`, `entityType`. */
export function splitName(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

/** "the workspace", "fs": how a tool is called in a sentence. */
export function nameTool(spec: OperationSpec): string {
  return spec.source === 'mcp' ? `the ${spec.tool} server` : `the ${spec.tool}`;
}

/** Arguments by their roles; null leaves an argument out, and so does a role the operation has not. */
export function fillRoles(
  spec: OperationSpec,
  values: Partial<Record<Role, Json | null>>,
): JsonObject {
  const fields = readFields(spec.input);
  const args: JsonObject = {};
  for (const [role, value] of Object.entries(values)) {
    const field = findField(fields, role as Role); // the keys of `values` are roles
    if (field && value !== null && value !== undefined && args[field.name] === undefined) {
      const root = role === 'path' && value === '.' && !field.required;
      if (!root) args[field.name] = value;
    }
  }
  return args;
}
