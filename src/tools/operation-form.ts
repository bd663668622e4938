// Generates form fields from JSON Schema.
// Nested objects are flattened, lists of objects repeat, alternatives become a choice, the rest is entered as JSON.
import { formLimits, labelOf, optionsOf } from '#domain/plan/form.ts';
import { toEntry } from '#domain/plan/form-entries.ts';
import {
  type EntryKind,
  type OperationField,
  type OperationForm,
  type OperationOffer,
  type OutputChoice,
  pointerOf,
} from '#domain/plan/operation-form.ts';
import { isObject, type Json } from '#domain/text.ts';
import type { OperationSpec } from '#domain/tool.ts';
import { shorten } from '#domain/words.ts';
import { choicesOf, type Schema, SchemaWalker, type ValueType } from './walk-schema.ts';

const maxFields = 100;
const maxDepth = 4;
const maxLabel = 120;
const maxHelp = 300;
const maxOutputs = 40;
const longTexts =
  /(?:^|_|[a-z])(?:content|text|body|question|instructions|message|task|notes?|query)s?$/i;

type Place = Pick<OperationField, 'path' | 'neededFrom' | 'list' | 'when' | 'within'> & {
  depth: number;
  name: string;
};

const noZone = { toMoment: () => null, toLocal: () => null };

const nameValue = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

class FormMaker {
  readonly #walker: SchemaWalker;
  readonly #spec: OperationSpec;
  #left = maxFields;

  constructor(spec: OperationSpec) {
    this.#spec = spec;
    this.#walker = new SchemaWalker(spec.input);
  }

  make(): OperationField[] {
    const root = this.#walker.root;
    const at = { path: [], neededFrom: 0, list: null, when: null, within: '' };
    const count = this.#walker.propertiesOf(root).length;
    if ((count > 0 || this.#isClosed(root)) && this.#takes(count))
      return this.#object(root, { ...at, depth: 0, name: '' });
    return [this.#field({ ...at, neededFrom: null, depth: 0, name: 'Arguments' }, root, 'json')];
  }

  #takes(more: number): boolean {
    if (more > this.#left) return false;
    this.#left -= more;
    return true;
  }

  #isClosed(schema: Schema): boolean {
    return this.#walker
      .partsOf(schema)
      .some((part) => isObject(part.properties) || part.additionalProperties === false);
  }

  #word(schema: Schema, key: string): unknown {
    return this.#walker.partsOf(schema).find((part) => part[key] !== undefined)?.[key];
  }

  #types(schema: Schema): ValueType[] {
    return [...this.#walker.typesOf(schema)].filter((type) => type !== 'null');
  }

  /** Without null; a single one replaces the schema. */
  #alternatives(schema: Schema): Schema[] {
    const [first = []] = this.#walker.partsOf(schema).flatMap(choicesOf);
    return first.filter((one) => this.#types(one).length > 0);
  }

  #object(schema: Schema, place: Place): OperationField[] {
    const required = this.#walker
      .partsOf(schema)
      .flatMap(({ required: names }) => (Array.isArray(names) ? names : []));
    const fields = this.#walker.propertiesOf(schema).flatMap((key) => {
      const member = this.#walker.memberOf(schema, key);
      // No request may carry `__proto__`.
      if (member === false || key === '__proto__') return [];
      const path = [...place.path, key];
      const needed = required.includes(key);
      const neededFrom = needed ? (place.neededFrom ?? place.path.length) : null;
      return this.#fields(member, {
        ...place,
        path,
        neededFrom,
        name: key,
        depth: place.depth + 1,
      });
    });
    return fields.toSorted((a, b) => Number(b.required) - Number(a.required));
  }

  #fields(schema: Schema, place: Place): OperationField[] {
    if (place.depth > maxDepth) return [this.#field(place, schema, 'json')];
    const choice = this.#choice(schema, place);
    if (choice !== null) return [choice];
    const types = this.#types(schema);
    const others = this.#alternatives(schema);
    const [only] = others;
    if (others.length === 1 && only !== undefined && types.length > 0) {
      const merged = { ...(isObject(schema) ? schema : {}), ...(isObject(only) ? only : {}) };
      const { anyOf: _, oneOf: __, ...rest } = { anyOf: 0, oneOf: 0, ...merged };
      return this.#fields(rest, place);
    }
    if (types.every((type) => type === 'object') && types.length > 0)
      return this.#ofObject(schema, others, place);
    if (types.every((type) => type === 'array') && types.length > 0)
      return this.#ofList(schema, place);
    return [this.#scalar(schema, types, place)];
  }

  #choice(schema: Schema, place: Place): OperationField | null {
    const own = this.#walker.partsOf(schema).map((part) => ({ part, given: optionsOf(part) }));
    const given = own.find((one) => Array.isArray(one.given))?.given;
    const constant = this.#word(schema, 'const');
    const values: unknown[] = Array.isArray(given)
      ? given
      : constant === undefined
        ? []
        : [constant];
    const named = values
      .map((value) =>
        isObject(value) && 'label' in value
          ? { value: value.value, label: nameValue(value.label) }
          : { value, label: nameValue(value) },
      )
      .filter(({ value }) => value !== null);
    if (named.length === 0 || named.length > formLimits.options) return null;
    const isText = named.every(({ value }) => typeof value === 'string');
    const options = named.map(({ value, label }) => ({
      value: isText ? String(value) : JSON.stringify(value),
      label,
    }));
    const field = this.#field(place, schema, isText ? 'value' : 'json');
    const initial = constant === undefined ? field.initial : (options[0]?.value ?? null);
    return { ...field, type: 'choice', options, initial };
  }

  #scalar(schema: Schema, types: ValueType[], place: Place): OperationField {
    const isNumber =
      types.length > 0 && types.every((type) => type === 'integer' || type === 'fraction');
    if (isNumber) {
      const [min, max] = [this.#word(schema, 'minimum'), this.#word(schema, 'maximum')];
      return {
        ...this.#field(place, schema, 'value'),
        type: 'number',
        whole: !types.includes('fraction'),
        min: typeof min === 'number' ? min : null,
        max: typeof max === 'number' ? max : null,
      };
    }
    if (types.length === 1 && types[0] === 'boolean')
      return { ...this.#field(place, schema, 'value'), type: 'boolean' };
    if (!types.includes('string')) return this.#field(place, schema, 'json');
    if (types.includes('object') || types.includes('array'))
      return this.#field(place, schema, types.length > 5 ? 'json' : 'either');
    const format = this.#word(schema, 'format');
    if (format === 'date') return { ...this.#field(place, schema, 'value'), type: 'date' };
    if (format === 'date-time') return { ...this.#field(place, schema, 'moment'), type: 'text' };
    const isLong = format === 'multiline' || longTexts.test(place.name);
    return { ...this.#field(place, schema, 'value'), type: isLong ? 'multiline' : 'text' };
  }

  #ofObject(schema: Schema, others: Schema[], place: Place): OperationField[] {
    const title = this.#labelFor(schema, place);
    const within = place.within === '' ? title : `${place.within}, ${title}`;
    if (others.length > 1) return this.#variants(schema, others, { ...place, within });
    const count = this.#walker.propertiesOf(schema).length;
    if (count > 0 && this.#takes(count - 1)) return this.#object(schema, { ...place, within });
    const values = this.#word(schema, 'additionalProperties');
    const isPairs =
      count === 0 && isObject(values) && this.#types(values).every((type) => type === 'string');
    return [this.#field(place, schema, isPairs ? 'pairs' : 'json')];
  }

  #variants(schema: Schema, others: Schema[], place: Place): OperationField[] {
    // In a list item each one would be required again.
    const counts = others.map((one) => this.#walker.propertiesOf(one).length);
    const count = counts.reduce((sum, one) => sum + one, 0);
    if (place.list !== null || others.length > formLimits.options || !this.#takes(count))
      return [this.#field(place, schema, 'json')];
    const named = others.map((one, index) => {
      const constant = this.#walker
        .propertiesOf(one)
        .map((key) => this.#word(this.#walker.memberOf(one, key), 'const'))
        .find((value) => typeof value === 'string');
      const title = this.#word(one, 'title') ?? constant;
      const label = typeof title === 'string' ? title : `Alternative ${index + 1}`;
      return { one, option: { value: String(index + 1), label } };
    });
    const chooser: OperationField = {
      ...this.#field(place, schema, 'variant'),
      name: `${pointerOf(place.path)}#`,
      type: 'choice',
      options: named.map(({ option }) => option),
      initial: place.neededFrom === 0 ? '1' : null,
    };
    return [
      chooser,
      ...named.flatMap(({ one, option }) =>
        this.#object(one, { ...place, when: { field: chooser.name, value: option.value } }).map(
          (field) => ({ ...field, name: `${field.name}#${option.value}` }),
        ),
      ),
    ];
  }

  #ofList(schema: Schema, place: Place): OperationField[] {
    const items = this.#walker.memberOf(schema, '0');
    const types = this.#types(items);
    const isTexts = types.length > 0 && types.every((type) => type === 'string');
    const numbers =
      types.length > 0 && types.every((type) => type === 'integer' || type === 'fraction');
    const tuple =
      Array.isArray(this.#word(schema, 'prefixItems')) ||
      Array.isArray(this.#word(schema, 'items'));
    if ((isTexts || numbers) && !tuple) {
      const choice = this.#choice(items, place);
      const field = this.#field(place, schema, 'list');
      const least = this.#word(schema, 'minItems');
      const mayBeEmpty = typeof least !== 'number' || least < 1;
      const required = field.required && !mayBeEmpty;
      return [{ ...field, required, numbers, mayBeEmpty, options: choice?.options ?? [] }];
    }
    const isObjects = types.length > 0 && types.every((type) => type === 'object');
    const rows = isObjects && !tuple && place.list === null && this.#alternatives(items).length < 2;
    const count = this.#walker.propertiesOf(items).length;
    if (!rows || count === 0 || !this.#takes(count - 1))
      return [this.#field(place, schema, 'json')];
    const label = this.#labelFor(schema, place);
    const at = place.path.length;
    const neededFrom = place.neededFrom ?? at + 1;
    const list = { path: place.path, label, index: 0 };
    const item = { ...place, path: [...place.path, '0'], neededFrom, list, within: `${label} 1` };
    return this.#object(items, item);
  }

  #labelFor(schema: Schema, { name }: Place): string {
    const title = this.#word(schema, 'title');
    return shorten(typeof title === 'string' && title !== '' ? title : labelOf(name), maxLabel);
  }

  #field(place: Place, schema: Schema, holds: EntryKind): OperationField {
    const { path, neededFrom, list, when, within } = place;
    const short = this.#labelFor(schema, place);
    const description = this.#word(schema, 'description');
    const help = typeof description === 'string' ? shorten(description, maxHelp) : null;
    const field: OperationField = {
      name: pointerOf(path),
      path,
      label: within === '' ? short : `${within}, ${short}`,
      short,
      within,
      help,
      type: 'multiline',
      required: neededFrom === 0,
      neededFrom,
      options: [],
      min: null,
      max: null,
      whole: false,
      numbers: false,
      mayBeEmpty: false,
      holds,
      initial: null,
      list,
      when,
      pick: this.#pickOf(path),
    };
    const given = this.#word(schema, 'default');
    return given === undefined || given === null
      ? field
      : { ...field, initial: toEntry(field, given as Json, noZone) };
  }

  #pickOf([first = '', ...below]: string[]): OperationField['pick'] {
    const { tool, source } = this.#spec;
    if (source !== 'builtin' || below.length > 0) return null;
    if (tool === 'human' && first === 'assignee') return 'person';
    return tool === 'workspace' && ['path', 'from', 'to'].includes(first) ? 'file' : null;
  }
}

function outputsOf({ output }: OperationSpec): OutputChoice[] {
  if (output === undefined) return [{ path: '', label: 'the whole output' }];
  const walker = new SchemaWalker(output);
  const membersOf = (schema: Schema, path: string[], depth: number): OutputChoice[] =>
    walker.propertiesOf(schema).flatMap((key) => {
      const member = walker.memberOf(schema, key);
      const own = [...path, key];
      const inside =
        depth > 1 && walker.typesOf(member).has('object') ? membersOf(member, own, depth - 1) : [];
      return [{ path: pointerOf(own), label: own.join(' · ') }, ...inside];
    });
  const members = membersOf(output, [], 2).slice(0, maxOutputs);
  return [...members, { path: '', label: 'the whole output' }];
}

export function offerOf(spec: OperationSpec, guarded: readonly string[]): OperationOffer {
  const { name, tool, operation, description, effect, destructive, human, source } = spec;
  const is = { destructive, guarded: guarded.includes(name), human: human === true };
  return { name, tool, operation, description, effect, ...is, source };
}

export function formOf(spec: OperationSpec, guarded: readonly string[]): OperationForm {
  const fields = new FormMaker(spec).make();
  return { ...offerOf(spec, guarded), fields, outputs: outputsOf(spec) };
}
