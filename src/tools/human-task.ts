// human_task and human_confirm: a person does or confirms a step.
import { z } from 'zod';
import { CountersignError } from '#domain/errors.ts';
import { isOpen } from '#domain/plan/arguments.ts';
import { type FormField, fieldTypes, formLimits, readForm } from '#domain/plan/form.ts';
import type { Json } from '#domain/text.ts';
import type { JsonSchema, Operation } from '#domain/tool.ts';
import { defineOperation, text } from './define-operation.ts';

const formWords = `What to fill in, where words are not enough: up to ${formLimits.fields} fields, each { "name": "amount", "label": "Amount in EUR", "type": one of ${fieldTypes.join(', ')}, "required": true, "options": ["A", "B"] (choice only), "help": "…" }; a JSON Schema of an object with simple properties is read too. Later steps use the values as { "$from": "this step", "path": "/fields/amount" }.`;

const example: Json = [
  { name: 'amount', label: 'Amount in EUR', type: 'number', required: true },
  { name: 'room', label: 'Which room?', type: 'choice', options: ['Blue', 'Green'] },
];

function valueSchema({ type, options, required, whole }: FormField): JsonSchema {
  const orNone = (name: string) => (required ? name : [name, 'null']);
  switch (type) {
    case 'text':
    case 'multiline':
      return { type: orNone('string') };
    case 'date':
      return { type: orNone('string'), format: 'date' };
    case 'number':
      return { type: orNone(whole ? 'integer' : 'number') };
    case 'boolean':
      return { type: orNone('boolean') };
    case 'choice': {
      const values = options.map(({ value }) => value);
      return { type: orNone('string'), enum: required ? values : [...values, null] };
    }
    default:
      return type satisfies never;
  }
}

function outputSchema(fields: FormField[] | null): JsonSchema {
  const values: JsonSchema =
    fields === null
      ? { type: 'object' }
      : {
          type: 'object',
          properties: Object.fromEntries(fields.map((field) => [field.name, valueSchema(field)])),
          required: fields.map(({ name }) => name),
          additionalProperties: false,
        };
  return {
    type: 'object',
    properties: {
      answer: { type: ['string', 'null'], description: 'What the person said.' },
      fields: { ...values, description: 'The values of the form, by name.' },
      by: { type: 'string', description: 'Who answered.' },
      at: { type: 'string', format: 'date-time' },
    },
    required: ['answer', 'fields', 'by', 'at'],
    additionalProperties: false,
  };
}

function handOver(form: Json | undefined): FormField[] | null {
  if (form === undefined || form === null) return null;
  const read = readForm(form);
  if (read.ok) return read.fields;
  throw new CountersignError('invalid_arguments', `${read.problems.join('; ')}.`);
}

export function createHumanTask(): Operation {
  return defineOperation({
    tool: 'human',
    operation: 'task',
    description:
      'Ask a person to do or answer something. The plan waits; their answer is the output.',
    effect: 'idempotent',
    destructive: false,
    human: true,
    targetArgument: 'assignee',
    output: outputSchema(null),
    schema: z.strictObject({
      question: text(3000, 'What the person should do or answer.'),
      assignee: text(200, 'Who; default: the requester.').optional(),
      form: z
        .json()
        .optional()
        .meta({ description: formWords, examples: [example] }),
    }),
    check({ form }) {
      if (form === undefined || form === null || isOpen(form)) return null;
      const read = readForm(form);
      return read.ok ? null : { code: 'invalid_arguments', message: read.problems.join('; ') };
    },
    outputOf({ form }) {
      if (form === undefined || form === null) return outputSchema([]);
      const read = isOpen(form) ? null : readForm(form);
      return outputSchema(read?.ok === true ? read.fields : null);
    },
    async run({ question, assignee, form }) {
      return {
        waitFor: 'person',
        question,
        assignee: assignee ?? null,
        form: handOver(form),
      };
    },
  });
}

const yesOrNo: JsonSchema = {
  type: 'object',
  properties: {
    answer: { type: 'string', enum: ['Yes', 'No'] },
    note: { type: ['string', 'null'], description: 'What the person added.' },
    by: { type: 'string', description: 'Who answered.' },
    at: { type: 'string', format: 'date-time' },
  },
  required: ['answer', 'note', 'by', 'at'],
  additionalProperties: false,
};

export function createHumanConfirm(): Operation {
  return defineOperation({
    tool: 'human',
    operation: 'confirm',
    description:
      'Ask a person Yes or No. On No, what waits for it is skipped; a step with a `when` of its own on /answer follows that instead.',
    effect: 'idempotent',
    destructive: false,
    human: true,
    targetArgument: 'assignee',
    output: yesOrNo,
    schema: z.strictObject({
      question: text(3000, 'The question, such as “May I close T-305?”'),
      assignee: text(200, 'Who; default: the requester.').optional(),
    }),
    async run({ question, assignee }) {
      return { waitFor: 'person', question, assignee: assignee ?? null, form: null };
    },
  });
}
