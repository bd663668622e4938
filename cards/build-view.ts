// A plan built by form, as displayed outside the console.
import {
  atProblem,
  type Build,
  type BuiltStep,
  gistOf,
  isPlaybook,
  type RepeatRule,
  repeatRules,
  shownFields,
} from '#domain/plan/build.ts';
import {
  type Entry,
  inputTypeOf,
  isOpenEntry,
  type OperationField,
  type OperationOffer,
} from '#domain/plan/operation-form.ts';
import type { BuildPreview } from '#domain/service.ts';
import { cutShown, showLine } from '#domain/shown-text.ts';
import { listOf } from '#domain/words.ts';
import { buildWords as words } from './build-words.ts';
import { describeEffect, marksOf, markWords, shortenCall } from './calls.ts';
import { viewField } from './form-fields.ts';
import type { Field } from './view.ts';
import { entryHints } from './words.ts';

type BuildStepView = {
  id: string;
  label: string;
  headline: string;
  /** `after 1 · not before 2026-12-03 09:00 · external` */
  note: string;
};

export type BuildView = {
  steps: BuildStepView[];
  problems: string[];
  mayPropose: boolean;
  title: string;
  repeats: RepeatRule;
  from: string;
  isUnfinished: boolean;
  undo: boolean;
};

type ListedItems = { list: string; label: string; count: number };

export type BuildForm = {
  /** The window's title. */
  window: string;
  title: string;
  /** `workspace_write · changes something · Page 1 of 2` */
  operation: string;
  page: number;
  isLast: boolean;
  submit: string;
  fields: Field[];
  lists: ListedItems[];
  repeats: ListedItems[];
  /** As typed: `{{1/text}}`. */
  sources: string[];
  /** Possible predecessors, on the last page only. */
  waits: { id: string; label: string; chosen: boolean }[];
  at: string;
  /** In place of a build: the digest of the plan whose step it is. */
  opened: string | undefined;
  /** Those without a field on this page. */
  problems: string[];
};

/** Chats refuse empty values. */
export const repeatOption = (repeats: string) => repeats || 'once';
export const repeatOptions = Object.entries(repeatRules).map(([rule, label]) => ({
  value: repeatOption(rule),
  label,
}));

const maxInside = 5;

/** Characters of a value in the review. */
const maxValue = 300;

const numberOf = ({ plan }: Build, id: string) =>
  String(plan.steps.findIndex((step) => step.id === id) + 1);

const showTime = (local: string) => local.replace('T', ' ');

export const nameOperation = (offer: OperationOffer): string =>
  `${offer.name} · ${describeEffect(offer)}`;

export function viewBuild({ build, facts, problem }: BuildPreview): BuildView {
  const { plan, before, step: open } = build;
  const shown = new Map(
    (facts?.steps ?? []).map((step) => [step.id.split('#', 1)[0] ?? '', step.call]),
  );
  const steps = plan.steps.map((step, index) => {
    // A playbook's steps are not the form's.
    const inside = isPlaybook(step) ? [...shown.values()] : [];
    const call = isPlaybook(step) ? undefined : shown.get(step.id);
    const after = step.after.map((id) => numberOf(build, id));
    const notes = [
      ...(after.length === 0 ? [] : [`after ${listOf(after)}`]),
      ...(step.at === '' ? [] : [`not before ${showTime(step.at)}`]),
      ...(call === undefined ? [] : marksOf(call).map((mark) => markWords[mark])),
      ...inside.slice(0, maxInside).map((one) => shortenCall(one, 80).text),
      ...(inside.length > maxInside ? [`${inside.length - maxInside} more`] : []),
    ];
    return {
      id: step.id,
      label: String(index + 1),
      headline: call === undefined ? gistOf(step.form) : shortenCall(call, maxValue).text,
      note: notes.join(' · '),
    };
  });
  return {
    ...{ steps, title: plan.title, repeats: plan.repeats, from: showTime(plan.from) },
    problems: problem === null ? [] : [problem],
    mayPropose: steps.length > 0 && problem === null,
    isUnfinished: open !== null,
    undo: before.length > 0,
  };
}

/** References as people type them. */
export function writeEntry({ holds }: OperationField, entry: Entry | undefined): string {
  if (entry === undefined) return '';
  if (!isOpenEntry(entry)) {
    const text = typeof entry === 'object' ? JSON.stringify(entry) : String(entry);
    return holds === 'moment' ? showTime(text) : text;
  }
  const { $from, path } = entry;
  return typeof $from === 'string' ? `{{${$from}${String(path ?? '')}}}` : JSON.stringify(entry);
}

const yesNo = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
];

function viewBuildField(
  field: OperationField,
  step: BuiltStep,
  build: Build,
  later: boolean,
): Field {
  const entry = step.entries[field.name];
  const hint = field.options.length > 0 ? undefined : entryHints[field.holds];
  const help = [field.help ?? '', hint ?? ''].filter((text) => text !== '').join(' ');
  const isOpen = isOpenEntry(entry);
  // A later value as a number; an optional boolean may stay open.
  const own = inputTypeOf(field, entry);
  const asText =
    (field.type === 'number' && later) || (isOpen && own !== 'multiline') || own !== field.type;
  const asChoice = field.type === 'boolean' && !field.required && field.initial === null;
  const type = own === 'multiline' ? own : asText ? 'text' : asChoice ? 'choice' : own;
  const drawn = viewField({
    ...field,
    type,
    help: help === '' ? null : help,
    options: asChoice ? yesNo : asText ? [] : field.options,
    required: field.required,
  });
  const wrong = build.problems.find(({ name }) => name === field.name)?.message;
  return {
    ...drawn,
    value: writeEntry(field, entry),
    ...(wrong === undefined ? {} : { wrong }),
    ...(field.pick === null || isOpen ? {} : { pick: field.pick }),
    ...(field.holds === 'list' && field.options.length > 0 && !isOpen ? { several: true } : {}),
    ...(field.holds === 'variant' ? { redraws: true } : {}),
  };
}

/** A field above the budget gets its own page. */
function splitPages<T>(fields: T[], costOf: (field: T) => number, budget: number): T[][] {
  const pages: T[][] = [[]];
  let cost = 0;
  for (const field of fields) {
    const own = costOf(field);
    const last = pages.at(-1) ?? [];
    if (last.length > 0 && cost + own > budget) {
      pages.push([field]);
      cost = own;
    } else {
      last.push(field);
      cost += own;
    }
  }
  return pages;
}

/** `costOf`: a field's share of the budget. */
type PageSize = { budget: number; costOf(field: Field): number };

const maxSources = 40;

function listSources(build: Build, step: BuiltStep): string[] {
  const { steps } = build.plan;
  const at = steps.findIndex(({ id }) => id === step.id);
  const earlier = at < 0 ? steps : steps.slice(0, at);
  return earlier
    .flatMap(({ id, form }) => form.outputs.map(({ path }) => `{{${id}${path}}}`))
    .slice(0, maxSources);
}

function listLists(fields: OperationField[]): ListedItems[] {
  const lists = new Map<string, ListedItems>();
  for (const { list } of fields) {
    if (list === null) continue;
    const name = `/${list.path.join('/')}`;
    lists.set(name, { list: name, label: list.label, count: list.index + 1 });
  }
  return [...lists.values()];
}

const repeatsOf = ({ list, label, count }: ListedItems): ListedItems[] => [
  { list, label: words.addItem({ label }), count: count + 1 },
  ...(count < 2 ? [] : [{ list, label: words.removeItem({ label, count }), count: count - 1 }]),
];

function lastOf({ plan, edits }: Build, step: BuiltStep): string {
  if (edits !== undefined) return words.proposeEdit;
  return plan.steps.some(({ id }) => id === step.id) ? words.save : words.add;
}

/** @param page from 0, or null for the first with a problem */
export function viewBuildForm(
  build: Build,
  page: number | null,
  { budget, costOf }: PageSize,
): BuildForm | null {
  const { step, plan, problems } = build;
  if (step === null) return null;
  const sources = listSources(build, step);
  const fields = shownFields(step).map((field) => ({
    field,
    drawn: viewBuildField(field, step, build, sources.length > 0),
  }));
  const pages = splitPages(fields, ({ drawn }) => costOf(drawn), budget);
  const wrong = pages.findIndex((some) => some.some(({ drawn }) => drawn.wrong !== undefined));
  const wanted = page ?? (wrong < 0 ? pages.length - 1 : wrong);
  const at = Math.max(0, Math.min(pages.length - 1, wanted));
  const here = pages[at] ?? [];
  const isLast = at === pages.length - 1;
  const others = isLast ? plan.steps.filter(({ id }) => id !== step.id) : [];
  const named = new Set(fields.map(({ field }) => field.name));
  const lists = listLists(here.map(({ field }) => field));
  const paged = pages.length > 1 ? ` · ${words.page({ page: at + 1, pages: pages.length })}` : '';
  return {
    title: step.label ?? gistOf(step.form),
    window: build.edits === undefined ? words.title : words.editTitle,
    operation: `${nameOperation(step.form)}${paged}`,
    ...{ page: at, isLast, lists, sources },
    submit: isLast ? lastOf(build, step) : words.nextPage,
    fields: here.map(({ drawn }) => drawn),
    repeats: lists.flatMap(repeatsOf),
    waits: others.map(({ id, form, label }) => ({
      ...{ id, chosen: step.after.includes(id) },
      label: cutShown(label ?? `${numberOf(build, id)}. ${showLine(gistOf(form), 200)}`, 75),
    })),
    at: showTime(step.at),
    opened: build.edits,
    problems: problems
      .filter(({ name }) => !named.has(name) && name !== atProblem)
      .concat(problems.filter(({ name }) => name === atProblem))
      .map(({ message }) => message),
  };
}
