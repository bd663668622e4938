// The builder in Teams: a dialog that is redrawn from the person's unfinished plan after each press. What it proposes is posted in the
// conversation it was opened in.
import {
  type BuildForm,
  viewBuild,
  viewBuildForm,
  buildWords as words,
} from '#cards/build-view.ts';
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
import type { EventAttempt } from '#chat/inbox/inbox-context.ts';
import { sayRefusal } from '#chat/talk.ts';
import { CountersignError } from '#domain/errors.ts';
import { type Build, fromProblem, type Repetition, repetitions } from '#domain/plan/build.ts';
import type { Entry } from '#domain/plan/operation-form.ts';
import { chatTenant } from '#domain/plan/scope.ts';
import type { BuildChange } from '#domain/service.ts';
import { finishWithin } from '../finish-within.ts';
import { tellPresser } from '../press/reply.ts';
import type { BuildSignal, Scene } from '../signals/read-activity.ts';
import type { BuildPress } from '../signals/read-build.ts';
import { speakerIn } from '../talk/people.ts';
import type { TeamsContext } from '../teams-context.ts';
import { answerDialog, answerSentence } from './plan-this.ts';

const offered = 60;
const suggested = 25;

async function builderOf({ people }: TeamsContext, scene: Scene) {
  const who = await people.find(scene);
  const { actor, direct } = speakerIn(scene, who);
  return {
    direct,
    actor: { ...actor, tenant: chatTenant('teams', scene.tenant) },
    viewer: { user: who.id, timezone: who.timezone },
  };
}
type Builder = Awaited<ReturnType<typeof builderOf>>;

const viewForm = (build: Build, page: number | null) => viewBuildForm(build, page, teamsPage);

/** An entry, or undefined for none. */
function readField(inputs: BuildPress['inputs'], field: Field): Entry | undefined {
  const { name, type, several, options, required, value: entry, pick } = field;
  const given = inputs[buildInput(name)] ?? '';
  if (several === true) {
    const chosen = given.split(',').flatMap((index) => options[Number(index || Number.NaN)] ?? []);
    return chosen.length === 0 ? undefined : chosen.map(({ value }) => value).join('\n');
  }
  if (type === 'boolean') {
    const isOn = given === 'true';
    return isOn || required || entry === 'true' ? isOn : undefined;
  }
  const other = pick === undefined ? '' : (inputs[otherInput(name)] ?? '').trim();
  const text = other === '' ? given : other;
  return text.trim() === '' ? undefined : text;
}

/** The entries of the form's page. */
function readEntered({ inputs }: BuildPress, form: BuildForm): BuildChange[] {
  const fields = form.fields.filter((field) => !isKeptInTeams(field));
  const entries = Object.fromEntries(fields.map((field) => [field.name, readField(inputs, field)]));
  const fill: BuildChange = { kind: 'fill', entries };
  if (form.page < form.pages - 1) return [fill];
  const waits = (inputs[buildInputs.waits] ?? '').split(',').filter((one) => one !== '');
  const after = form.waits.length === 0 ? {} : { after: waits };
  return [fill, { kind: 'wait', ...after, at: inputs[buildInputs.at] ?? '' }];
}

const isRepetition = (value: string): value is Repetition => Object.hasOwn(repetitions, value);

function readTerms({ inputs }: BuildPress): BuildChange {
  const { title = '', repeats: chosen = '', from = '' } = inputs;
  const repeats = isRepetition(chosen) ? chosen : '';
  return { kind: 'terms', title, repeats, from: repeats === '' ? '' : from };
}

/** The changes of a press in the list of steps. */
function readPlanPress({ build, inputs }: BuildPress): BuildChange[] {
  const step = inputs[buildInputs.step] ?? '';
  switch (build) {
    case 'choose':
      return [{ kind: 'choose', operation: inputs[buildInputs.operation] ?? '' }];
    case 'edit':
      return [{ kind: 'edit', step }];
    case 'remove':
      return [{ kind: 'remove', step }];
    case 'up':
    case 'down':
      return [{ kind: 'move', step, by: build === 'up' ? -1 : 1 }];
    case 'undo':
      return [{ kind: 'undo' }];
    case 'back':
      return [{ kind: 'leave' }];
    default:
      return [];
  }
}

async function showPlan(
  { service }: TeamsContext,
  { actor, viewer }: Builder,
  typed: string,
  notice = '',
) {
  const preview = await service.previewBuild(viewer, actor);
  const offers = await service.findOperations(typed, offered, actor);
  const unfinished = preview.build.step !== null;
  const view = { ...viewBuild(preview), notice };
  const card = drawBuildDialog(view, { words: typed, offers }, unfinished);
  return answerDialog(card, words.title);
}

/** The form with the values that its fields can be chosen from. */
async function showForm(
  { service }: TeamsContext,
  { actor }: Builder,
  build: Build,
  form: BuildForm,
) {
  const name = build.step?.form.name ?? '';
  const fields = await Promise.all(
    form.fields.map(async (field) => {
      if (field.pick === undefined) return field;
      const found = await service.suggestValues(name, field.name, '', actor);
      const options = found
        .slice(0, suggested)
        .map(({ value, label }) => ({ value, label, called: label }));
      return { ...field, options };
    }),
  );
  return answerDialog(drawBuildFormDialog({ ...form, fields }), words.title);
}

async function pressForm(context: TeamsContext, builder: Builder, press: BuildPress) {
  const { service } = context;
  const { actor, viewer } = builder;
  const { build: verb, page, list, count } = press;
  const before = await service.readBuild(actor);
  const form = viewForm(before, page);
  if (form === null) return showPlan(context, builder, '');
  const changes = readEntered(press, form);
  const isLast = form.page === form.pages - 1;
  if (verb === 'repeat' && list !== undefined && count !== undefined)
    changes.push({ kind: 'repeat', list, count });
  if (verb === 'next' && isLast) changes.push({ kind: 'add' });
  const build = await service.changeBuild(changes, viewer, actor);
  const stays = verb !== 'next';
  const next = viewForm(build, stays ? page : isLast ? null : page + 1);
  return next === null ? showPlan(context, builder, '') : showForm(context, builder, build, next);
}

async function show(context: TeamsContext, { scene, press }: BuildSignal): Promise<object> {
  const { service } = context;
  const builder = await builderOf(context, scene);
  const { actor, viewer } = builder;
  const { build: verb, inputs } = press;
  if (verb === 'next' || verb === 'redraw' || verb === 'repeat')
    return pressForm(context, builder, press);
  const changes = readPlanPress(press);
  if (changes.length === 0 && verb !== 'resume')
    return showPlan(context, builder, verb === 'search' ? (inputs[buildInputs.words] ?? '') : '');
  const build =
    changes.length === 0
      ? await service.readBuild(actor)
      : await service.changeBuild(changes, viewer, actor);
  const opens = verb === 'choose' || verb === 'edit' || verb === 'resume';
  const form = opens ? viewForm(build, 0) : null;
  return form === null ? showPlan(context, builder, '') : showForm(context, builder, build, form);
}

/** The result of `work`, or a dialog with the error. */
async function orSentence<T>({ warn }: TeamsContext, withinMs: number, work: Promise<T>) {
  const late = () => new CountersignError('timed_out', pressWords.tooLate);
  try {
    return await finishWithin(withinMs, work, late);
  } catch (error) {
    if (error instanceof CountersignError) return answerSentence(error.message);
    warn('The builder in Teams could not be shown.', error);
    return answerSentence(pressWords.failed);
  }
}

/** The dialog after a press. Does not throw. */
export const showBuild = (
  context: TeamsContext,
  signal: BuildSignal,
  withinMs: number,
): Promise<object> => orSentence(context, withinMs, show(context, signal));

/** The dialog again if the plan's terms are wrong, or null to propose. Does not throw. */
export const refuseTerms = (
  context: TeamsContext,
  signal: BuildSignal,
  withinMs: number,
): Promise<object | null> => orSentence(context, withinMs, checkTerms(context, signal));

async function checkTerms(context: TeamsContext, { scene, press }: BuildSignal) {
  const { service } = context;
  const builder = await builderOf(context, scene);
  const { actor, viewer } = builder;
  const build = await service.changeBuild([readTerms(press)], viewer, actor);
  const wrong = build.problems.find(({ name }) => name === fromProblem);
  return wrong === undefined ? null : showPlan(context, builder, '', wrong.message);
}

/** Where the plan is posted: the conversation; for a new post of a channel, the chat with the bot. */
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
  { scene }: BuildSignal,
  { id }: { id: number },
  attempt: Pick<EventAttempt, 'reply' | 'age'>,
  keepScene: () => Promise<void>,
): Promise<void> {
  const { actor, viewer, direct } = await builderOf(context, scene);
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
