// Chooses a step's operation and asks for its values, line by line.
import { type BuildForm, nameOperation, viewBuildForm } from '#cards/build-view.ts';
import { buildWords } from '#cards/build-words.ts';
import { describeField } from '#cards/form-fields.ts';
import type { Field } from '#cards/view.ts';
import { openBuilder } from '#chat/build-entries.ts';
import { CountersignError } from '#domain/errors.ts';
import { type Build, gistOf, planProblem } from '#domain/plan/build.ts';
import type { OperationOffer } from '#domain/plan/operation-form.ts';
import type { BuildChange } from '#domain/service.ts';
import { quoteWords, showWhole } from '#domain/shown-text.ts';
import { listOf } from '#domain/words.ts';
import { drawLines } from './draw.ts';
import { askLines } from './fill-in.ts';
import { hangText } from './screen.ts';
import { type Session, tellError } from './session.ts';

const offered = 9;
const suggested = 8;
const whole = { budget: Number.POSITIVE_INFINITY, costOf: () => 0 };

/** The person quit, the input ended, or Ctrl-C. */
export class Quit extends Error {}

export const viewerOf = ({ options: { user, timezone } }: Session) => ({ user, timezone });

export const change = (session: Session, ...changes: BuildChange[]): Promise<Build> =>
  session.service.changeBuild(changes, viewerOf(session), session.actor);

export function say(session: Session, text: string): void {
  session.say(...drawLines(text, session.screen));
}

export function sayItem(
  { say: print, screen }: Session,
  lead: string,
  text: string,
  note = '',
): void {
  const [first, rest] = [`  ${lead}  `, ' '.repeat(lead.length + 4)];
  const width = screen.width();
  print(...hangText(showWhole(text), first, rest, width));
  if (note === '') return;
  print(...hangText(screen.style('dim', showWhole(note)), rest, rest, width));
}

export function sayList(session: Session, items: { label: string; note?: string }[]): void {
  for (const [index, { label, note }] of items.entries())
    sayItem(session, String(index + 1), label, note);
}

/** @throws Quit */
export async function askLine(session: Session, prompt: string): Promise<string> {
  const line = await session.ask(prompt);
  if (line === null || session.signal.aborted) throw new Quit();
  return line.trim();
}

export async function runOrReport(
  session: Session,
  work: () => Promise<unknown>,
): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!(error instanceof CountersignError)) throw error;
    tellError(session, error);
    return false;
  }
}

async function findOperation(session: Session): Promise<OperationOffer | null> {
  const { service, actor } = session;
  const words = await askLine(
    session,
    '  What should it do? (Enter: common operations, “playbook”: saved plans) › ',
  );
  let found = await service.findForms(words, offered, actor);
  for (;;) {
    if (found.length === 0) say(session, buildWords.noMatch);
    sayList(
      session,
      found.map((offer) => ({ label: gistOf(offer), note: nameOperation(offer) })),
    );
    const line = await askLine(session, '  Number, other words, or [q]uit › ');
    if (isQuit(line)) return null;
    const chosen = /^\d$/.test(line) ? found[Number(line) - 1] : undefined;
    if (chosen !== undefined) return chosen;
    found = await service.findForms(line, offered, actor);
  }
}

export async function addStep(session: Session): Promise<void> {
  const offer = await findOperation(session);
  if (offer === null) return;
  const { step, problems } = await change(session, { kind: 'choose', operation: offer.name });
  if (step === null) return say(session, problems.map(({ message }) => message).join(' '));
  await fillStep(session, true);
}

export async function editStep(session: Session, step: string): Promise<void> {
  await change(session, { kind: 'edit', step });
  await fillStep(session, true);
}

/** Asks for the values of a waiting plan's step, and proposes the change. */
export async function editWaiting(session: Session, edits: { plan: string; step: string }) {
  const { service, actor } = session;
  const begin = openBuilder(service, edits, viewerOf(session), actor);
  const { edits: opened } = await begin.change([{ kind: 'edit', step: edits.step }]);
  const { read, change: apply } = openBuilder(
    service,
    { ...edits, opened },
    viewerOf(session),
    actor,
  );
  const own = { ...service, readBuild: read, changeBuild: apply };
  try {
    await fillStep({ ...session, service: own }, true);
  } catch (error) {
    if (!(error instanceof Quit)) throw error;
  }
}

const viewForm = (made: Build): BuildForm | null => viewBuildForm(made, 0, whole);

/** All fields, then wrong ones. */
export async function fillStep(session: Session, begun: boolean): Promise<void> {
  let made = await session.service.readBuild(viewerOf(session), session.actor);
  const first = viewForm(made);
  if (first === null) return;
  session.say('');
  say(session, `${begun ? '' : 'Continues: '}${first.title} · ${first.operation}`);
  if (first.fields.length === 0) say(session, buildWords.noFields);
  if (first.sources.length > 0) say(session, buildWords.sources(first));
  made = await askFields(session, made);
  made = await askWaits(session, made);
  for (;;) {
    made = await change(session, { kind: 'add' });
    const form = viewForm(made);
    if (form === null) return;
    for (const problem of form.problems) say(session, problem);
    if (made.edits !== undefined && made.problems.some(({ name }) => name === planProblem)) {
      if (isQuit(await askLine(session, '  [Enter] change it  [q]uit › '))) return;
      made = await askFields(session, made);
    }
    if (form.problems.length > 0) made = await askWaits(session, made);
    for (const field of form.fields.filter(({ wrong }) => wrong !== undefined)) {
      say(session, field.wrong ?? '');
      made = await askField(session, field);
    }
  }
}

/** Answers can reveal more fields. */
async function askFields(session: Session, begun: Build): Promise<Build> {
  let made = begun;
  const done = new Set<string>();
  const asked = new Set<string>();
  for (;;) {
    const form = viewForm(made);
    const next = form?.fields.find(({ name }) => !done.has(name));
    if (next !== undefined) {
      done.add(next.name);
      made = await askField(session, next);
      continue;
    }
    const list = form?.lists.find((one) => !asked.has(`${one.list} ${one.count}`));
    if (list === undefined) return made;
    asked.add(`${list.list} ${list.count}`);
    const line = await askLine(
      session,
      `  Add another item to ${list.label}? [y]es, Enter for no › `,
    );
    if (!/^y(es)?$/i.test(line)) continue;
    made = await change(session, { kind: 'repeat', list: list.list, count: list.count + 1 });
  }
}

const isQuit = (line: string) => /^q(uit)?$/i.test(line);
const isNone = (line: string) => line === '-';

async function askWaits(session: Session, begun: Build): Promise<Build> {
  const form = viewForm(begun);
  if (form === null) return begun;
  let { waits } = form;
  if (waits.length > 0) {
    const chosen = waits.filter((one) => one.chosen);
    say(session, `Earlier steps: ${waits.map(({ label }) => label).join('; ')}`);
    const kept = listOf(chosen.map(({ label }) => label.split('.', 1)[0] ?? '')) || 'none';
    const line = await askLine(
      session,
      `  Waits for (numbers, - for none, Enter keeps ${kept}) › `,
    );
    const numbers = new Set(line.match(/\d+/g));
    if (line !== '')
      waits = waits.map((one) => ({
        ...one,
        chosen: numbers.has(one.label.split('.', 1)[0] ?? ''),
      }));
  }
  const keeps = form.at === '' ? 'Enter for none' : `Enter keeps ${form.at}, - for none`;
  const line = await askLine(session, `  Not before (such as tomorrow at 9:00, ${keeps}) › `);
  const at = isNone(line) ? '' : line === '' ? form.at : line;
  const after = waits.filter(({ chosen }) => chosen).map(({ id }) => id);
  return change(session, { kind: 'wait', after, at });
}

async function listChoices(
  session: Session,
  field: Field,
): Promise<{ value: string; label: string }[]> {
  if (field.options.length > 0) return field.options.map(({ value, label }) => ({ value, label }));
  if (field.pick === undefined) return [];
  const { step } = await session.service.readBuild(viewerOf(session), session.actor);
  if (step === null) return [];
  const { service, actor } = session;
  const values = await service.suggestValues(step.form.name, field.name, '', actor);
  return values.slice(0, suggested);
}

/** Choice numbers may be separated by commas. */
function readTyped(
  line: string,
  field: Field,
  choices: { value: string; label: string }[],
): string {
  const byNumber = (text: string) => {
    const given = field.options.some(({ value, name }) => value === text || name === text);
    return given || !/^\d{1,2}$/.test(text) ? text : (choices[Number(text) - 1]?.value ?? text);
  };
  return field.several === true
    ? line
        .split(',')
        .map((part) => byNumber(part.trim()))
        .join('\n')
    : byNumber(line);
}

async function askField(session: Session, field: Field): Promise<Build> {
  const { value: entry = '', type, options } = field;
  const choices = await listChoices(session, field);
  const named = options.find(({ value }) => value === entry)?.name ?? entry.replaceAll('\n', ', ');
  const shown = type === 'boolean' ? (entry === 'true' ? 'yes' : 'no') : named;
  const keep =
    entry === ''
      ? field.required
        ? ''
        : ' Enter skips.'
      : ` Enter keeps ${quoteWords(shown, 200)}.`;
  const more = [
    ...(field.several === true ? ['Numbers, separated by commas.'] : []),
    ...(type === 'multiline' ? ['Finish with an empty line.'] : []),
    ...(entry !== '' && !field.required ? ['- clears it.'] : []),
  ];
  session.say('');
  say(session, [`${describeField(field, true)}.${keep}`, ...more].join(' '));
  sayList(session, choices);
  const line = type === 'multiline' ? await askLines(session) : await session.ask('  › ');
  if (line === null || session.signal.aborted) throw new Quit();
  const text = line.trim();
  if (text === '') return session.service.readBuild(viewerOf(session), session.actor);
  const typed = isNone(text)
    ? undefined
    : readTyped(type === 'multiline' ? line : text, field, choices);
  return change(session, { kind: 'fill', entries: { [field.name]: typed } });
}
