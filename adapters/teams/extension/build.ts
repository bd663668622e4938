// The plan builder in a Teams dialog.
import { z } from 'zod';
import { type BuildForm, viewBuild, viewBuildForm } from '#cards/build-view.ts';
import { buildWords as words } from '#cards/build-words.ts';
import { pressWords } from '#cards/chat-words.ts';
import {
  buildInput,
  buildInputs,
  drawBuildDialog,
  drawBuildFormDialog,
  isKeptInTeams,
  otherInput,
  teamsPage,
} from '#cards/teams-build.ts';
import type { Field } from '#cards/view.ts';
import { openBuilder, readEntry, readMove, readPage, readTerms } from '#chat/build-entries.ts';
import type { EventAttempt } from '#chat/inbox/inbox-context.ts';
import { sayRefusal } from '#chat/talk.ts';
import { conversationAt } from '#domain/chat/chat.ts';
import { CountersignError } from '#domain/errors.ts';
import { type Build, fromProblem } from '#domain/plan/build.ts';
import { chatTenant } from '#domain/plan/scope.ts';
import type { BuildChange } from '#domain/service.ts';
import { finishWithin } from '../finish-within.ts';
import { speakerIn } from '../people.ts';
import { tellPresser } from '../press/reply.ts';
import type { BuildSignal, Scene } from '../signals/read-activity.ts';
import type { BuildPress } from '../signals/read-build.ts';
import type { TeamsContext } from '../teams-context.ts';
import { answerDialog, answerSentence } from './plan-this.ts';

const directoryId = z.guid();

const offered = 60;
const suggested = 25;

async function builderOf({ people, service }: TeamsContext, { scene, press }: BuildSignal) {
  const { edits } = press;
  const about = conversationAt(scene.place);
  if (edits !== undefined && !(await service.isAbout(about, { plan_id: edits.plan })))
    throw new CountersignError('not_allowed', pressWords.elsewhereOnly);
  const who = await people.find(scene);
  const { actor: speaker, direct } = speakerIn(scene, who);
  const actor = { ...speaker, tenant: chatTenant('teams', scene.tenant) };
  const viewer = { user: who.id, timezone: who.timezone };
  return { direct, actor, viewer, edits, ...openBuilder(service, edits, viewer, actor) };
}
type Builder = Awaited<ReturnType<typeof builderOf>>;

const viewForm = (build: Build, page: number | null) => viewBuildForm(build, page, teamsPage);

/** Text, tick or option positions. */
function readField(inputs: BuildPress['inputs'], { name, type, several, pick, value }: Field) {
  const given = inputs[buildInput(name)] ?? '';
  if (several === true) return given.split(',');
  if (type === 'boolean') return given === 'true';
  const other = pick === undefined ? '' : (inputs[otherInput(name)] ?? '').trim();
  // A choice replaces a typed value.
  return other === '' || (given !== '' && other === value) ? given : other;
}

/** Picked people by account. */
async function readEntered(
  { people }: TeamsContext,
  { inputs }: BuildPress,
  form: BuildForm,
  scene: Scene,
): Promise<BuildChange[]> {
  const fields = form.fields.filter((field) => !isKeptInTeams(field));
  const entries = await Promise.all(
    fields.map(async (field) => {
      const given = readField(inputs, field);
      const isPicked = field.pick === 'person' && directoryId.safeParse(given).success;
      const entry = isPicked ? await people.findMember(scene, String(given)) : given;
      return [field.name, readEntry(field, entry)];
    }),
  );
  const after = (inputs[buildInputs.waits] ?? '').split(',');
  const at = inputs[buildInputs.at] ?? '';
  return readPage(form, Object.fromEntries(entries), { after, at });
}

function readPlanPress({ build, inputs }: BuildPress): BuildChange | null {
  const target = build === 'choose' ? buildInputs.operation : buildInputs.step;
  return readMove(build, inputs[target] ?? '');
}

async function showPlan(
  { service }: TeamsContext,
  { actor, viewer }: Builder,
  typed: string,
  notice: string[] = [],
) {
  const preview = await service.previewBuild(viewer, actor);
  const offers = await service.findForms(typed, offered, actor);
  const view = viewBuild(preview);
  const problems = [...view.problems, ...notice];
  const card = drawBuildDialog({ ...view, problems }, { words: typed, offers });
  return answerDialog(card, words.title);
}

async function showForm(
  { service }: TeamsContext,
  { actor, viewer, edits }: Builder,
  build: Build,
  form: BuildForm,
) {
  const name = build.step?.form.name ?? '';
  const fields = await Promise.all(
    form.fields.map(async (field) => {
      if (field.pick === undefined) return field;
      const found = await service.suggestValues(name, field.name, '', actor);
      // An empty list would disable the client's directory search.
      const self = { value: viewer.user, label: viewer.user };
      const options = (field.pick === 'person' && found.length === 0 ? [self] : found)
        .slice(0, suggested)
        .map(({ value, label }) => ({ value, label, name: label }));
      return { ...field, options };
    }),
  );
  return answerDialog(drawBuildFormDialog({ ...form, fields }, edits), form.window);
}

async function pressForm(context: TeamsContext, builder: Builder, { press, scene }: BuildSignal) {
  const { build: verb, page, list, count } = press;
  const form = viewForm(await builder.read(), page);
  const showDone = () =>
    builder.edits === undefined ? showPlan(context, builder, '') : answerSentence(words.proposed);
  if (form === null) return showDone();
  const changes = await readEntered(context, press, form, scene);
  const { isLast } = form;
  if (verb === 'repeat' && list !== undefined && count !== undefined)
    changes.push({ kind: 'repeat', list, count });
  if (verb === 'next' && isLast) changes.push({ kind: 'add' });
  const build = await builder.change(changes);
  const stays = verb !== 'next';
  const next = viewForm(build, stays ? page : isLast ? null : page + 1);
  return next === null ? showDone() : showForm(context, builder, build, next);
}

async function show(context: TeamsContext, signal: BuildSignal): Promise<object> {
  const { press } = signal;
  const builder = await builderOf(context, signal);
  const { build: verb, inputs, edits } = press;
  if (verb === 'next' || verb === 'redraw' || verb === 'repeat')
    return pressForm(context, builder, signal);
  const change: BuildChange | null =
    edits === undefined ? readPlanPress(press) : { kind: 'edit', step: edits.step };
  if (change === null && verb !== 'resume')
    return showPlan(context, builder, verb === 'search' ? (inputs[buildInputs.words] ?? '') : '');
  const build = change === null ? await builder.read() : await builder.change([change]);
  const opens = edits !== undefined || verb === 'choose' || verb === 'edit' || verb === 'resume';
  const form = opens ? viewForm(build, 0) : null;
  const problems = build.problems.map(({ message }) => message);
  return form === null
    ? showPlan(context, builder, '', problems)
    : showForm(context, builder, build, form);
}

/** Shows errors in a dialog. */
async function orSentence<T>({ warn }: TeamsContext, withinMs: number, work: Promise<T>) {
  const late = () => new CountersignError('timed_out', pressWords.tooLate);
  try {
    return await finishWithin(withinMs, work, late);
  } catch (error) {
    if (error instanceof CountersignError) return answerSentence(error.message);
    warn('Could not show the plan builder in Teams.', error);
    return answerSentence(pressWords.failed);
  }
}

/** Never throws. */
export const showBuild = (
  context: TeamsContext,
  signal: BuildSignal,
  withinMs: number,
): Promise<object> => orSentence(context, withinMs, show(context, signal));

/** Null to propose. Never throws. */
export const refuseTerms = (
  context: TeamsContext,
  signal: BuildSignal,
  withinMs: number,
): Promise<object | null> => orSentence(context, withinMs, checkTerms(context, signal));

async function checkTerms(context: TeamsContext, signal: BuildSignal) {
  const builder = await builderOf(context, signal);
  const build = await builder.change([readTerms(signal.press.inputs)]);
  const wrong = build.problems.find(({ name }) => name === fromProblem);
  return wrong === undefined ? null : showPlan(context, builder, '', [wrong.message]);
}

/** The conversation; for a channel's new post, the bot's chat. */
async function placeIn({ conversations, people }: TeamsContext, scene: Scene) {
  const { place, kind, tenant, from } = scene;
  if (kind !== 'channel' || place.thread !== null)
    return (await people.isThere(scene)) ? place : null;
  const personal = await conversations.findPersonal(tenant, from.id);
  return personal === null ? null : { ...place, channel: personal.channel };
}

/** Proposes once. */
export async function proposeBuild(
  context: TeamsContext,
  signal: BuildSignal,
  { id }: { id: number },
  attempt: Pick<EventAttempt, 'reply' | 'age'>,
  keepScene: () => Promise<void>,
): Promise<void> {
  const { scene } = signal;
  const { actor, viewer, direct } = await builderOf(context, signal);
  const place = await placeIn(context, scene);
  if (place === null) return tellPresser(context, scene, words.notHere, true, attempt);
  if (place === scene.place) await keepScene();
  const note = await sayRefusal(async () => {
    const zone = place === scene.place ? direct : viewer.timezone;
    const conversation = await context.openConversation(place, zone);
    const once = `teams:build:${id}`;
    await context.service.proposeBuild({ conversation, once }, viewer, actor);
  });
  if (note !== null) await tellPresser(context, scene, note, true, attempt);
}
