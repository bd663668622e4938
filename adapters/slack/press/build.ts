// The plan builder in Slack's windows.
import { setTimeout as pause } from 'node:timers/promises';
import type { types } from '@slack/bolt';
import { type BuildForm, nameOperation, viewBuild, viewBuildForm } from '#cards/build-view.ts';
import { buildWords as words } from '#cards/build-words.ts';
import { pressWords, windowWords } from '#cards/chat-words.ts';
import { platformLimits } from '#cards/limits.ts';
import { escapeMrkdwn } from '#cards/plain.ts';
import { buildActions, buildBlock, buildBlocks, slackPage } from '#cards/slack-build.ts';
import { openBuilder, readMove } from '#chat/build-entries.ts';
import type { CardPress } from '#domain/chat/card.ts';
import { conversationAt } from '#domain/chat/chat.ts';
import { CountersignError } from '#domain/errors.ts';
import { personInChat } from '#domain/people/actor.ts';
import { type Build, fromProblem, gistOf, shownFields } from '#domain/plan/build.ts';
import { chatTenant } from '#domain/plan/scope.ts';
import type { BuildChange } from '#domain/service.ts';
import { cutShown } from '#domain/shown-text.ts';
import { placeOf } from '../signals/name-signal.ts';
import type {
  PressSignal,
  SentSignal,
  StartSignal,
  SuggestSignal,
} from '../signals/read-signal.ts';
import type { SlackContext } from '../slack-context.ts';
import type { Acknowledgement } from '../transport/accept.ts';
import {
  type BuildHeld,
  isStepForm,
  planWindow,
  readBuildHeld,
  readEntered,
  readTermsIn,
  stepWindow,
} from './build-windows.ts';
import { fillWindow } from './fill-window.ts';
import { type Held, readHeld } from './held.ts';
import { putView } from './put-view.ts';
import { tellAlone } from './send.ts';
import { noticeWindow } from './windows.ts';

/** Acknowledged without storing. */
const handled: Acknowledgement = {};
/** Slack waits three seconds. */
const answersWithinMs = 2400;

async function builderOf(
  { people, service }: SlackContext,
  { team, user, place, edits }: BuildHeld,
) {
  if (edits !== undefined) {
    const about = place && conversationAt({ platform: 'slack', tenant: team, ...place });
    if (about === null || !(await service.isAbout(about, { plan_id: edits.plan })))
      throw new CountersignError('not_allowed', pressWords.elsewhereOnly);
  }
  const who = await people.find(team, user);
  if (!who.acts) throw new CountersignError('forbidden', windowWords.refused);
  const actor = { ...personInChat(who, 'slack'), tenant: chatTenant('slack', team) };
  const viewer = { user: who.id, timezone: who.timezone };
  return { actor, viewer, ...openBuilder(service, edits, viewer, actor) };
}
type Builder = Awaited<ReturnType<typeof builderOf>>;

const viewForm = (build: Build, page: number | null) => viewBuildForm(build, page, slackPage);

async function drawStep({ reach }: SlackContext, held: BuildHeld, form: BuildForm) {
  const fields = await Promise.all(
    form.fields.map(async (field) => {
      if (field.pick !== 'person' || !field.value) return field;
      const found = await reach.find(held.team, field.value);
      if (found !== null) return { ...field, value: found.user };
      // Unknown to Slack: shown by name.
      const { pick: _, ...named } = field;
      return named;
    }),
  );
  return stepWindow(held, { ...form, fields });
}

async function drawPlan(context: SlackContext, held: BuildHeld): Promise<types.ModalView> {
  const { actor, viewer } = await builderOf(context, held);
  const preview = await context.service.previewBuild(viewer, actor);
  return planWindow(held, viewBuild(preview), preview.build);
}

async function orNotice(
  { warn }: SlackContext,
  draw: () => Promise<types.ModalView>,
): Promise<types.ModalView> {
  try {
    return await draw();
  } catch (error) {
    if (error instanceof CountersignError)
      return noticeWindow({ title: windowWords.refused, text: error.message });
    warn('Could not draw the plan builder in Slack.', error);
    return noticeWindow(windowWords.failed);
  }
}

/** First, since triggers expire after three seconds. */
export async function openBuild(context: SlackContext, { team, start }: StartSignal) {
  const { user, trigger_id, place } = start;
  const client = await context.clientOf(team);
  const { view } = await client.views.open({
    trigger_id,
    view: noticeWindow(windowWords.loading),
  });
  if (view?.id === undefined) return;
  const held: BuildHeld = { team, user: user.id, place, page: 0 };
  await putView(
    context,
    team,
    { id: view.id },
    await orNotice(context, () => drawPlan(context, held)),
  );
}

function readPress({ actions: [action] }: PressSignal['pressed']): BuildChange | 'form' | null {
  const chosen = action?.selected_option?.value ?? '';
  switch (action?.action_id) {
    case buildActions.operation:
      return readMove('choose', chosen);
    case buildActions.resume:
      return 'form';
    case buildActions.undo:
      return readMove('undo', '');
    case buildActions.step: {
      const [verb = '', step = ''] = chosen.split(' ');
      return readMove(verb, step);
    }
    default:
      return null;
  }
}

/** Pushed at once, then filled. */
async function pushForm(
  context: SlackContext,
  held: BuildHeld,
  trigger: string,
  open: () => Promise<Build>,
): Promise<void> {
  const client = await context.clientOf(held.team);
  const { view } = await client.views.push({
    trigger_id: trigger,
    view: noticeWindow(windowWords.loading),
  });
  if (view?.id === undefined) return;
  const drawn = await orNotice(context, async () => drawOpened(context, held, await open()));
  await putView(context, held.team, { id: view.id }, drawn);
}

function drawOpened(context: SlackContext, held: BuildHeld, build: Build) {
  const form = viewForm(build, 0);
  if (form !== null) return drawStep(context, { ...held, page: 0 }, form);
  const text = build.problems[0]?.message ?? pressWords.failed;
  return noticeWindow({ title: windowWords.refused, text });
}

const openEdit = async (context: SlackContext, held: BuildHeld, step: string) =>
  (await builderOf(context, held)).change([{ kind: 'edit', step }]);

/** The form of a plan's step, from its card. */
export async function fillEdit(
  context: SlackContext,
  { team, user, place }: Held,
  { plan_id: plan, step_id: step = '' }: CardPress,
): Promise<types.ModalView> {
  const held: BuildHeld = { team, user, place, page: 0, edits: { plan, step } };
  return drawOpened(context, held, await openEdit(context, held, step));
}

/** Keeps what was entered. */
async function redrawForm(
  context: SlackContext,
  held: BuildHeld,
  { pressed }: PressSignal,
  { read, change }: Builder,
): Promise<void> {
  const { view, actions } = pressed;
  const [action] = actions;
  const form = viewForm(await read(), held.page);
  if (view === undefined || form === null) return;
  const changes = await enteredIn(context, held, view, form);
  if (action?.action_id.startsWith(buildActions.repeat) === true) {
    const [list, count]: unknown[] = JSON.parse(action.value ?? '[]');
    if (typeof list === 'string' && typeof count === 'number')
      changes.push({ kind: 'repeat', list, count });
  }
  const next = viewForm(await change(changes), held.page);
  if (next !== null)
    await putView(context, held.team, { id: view.id }, await drawStep(context, held, next));
}

const enteredIn = (
  { people, reach }: SlackContext,
  { team }: BuildHeld,
  view: SentSignal['sent']['view'],
  form: BuildForm,
) =>
  readEntered(view, form, async (user, before) => {
    const drawn = before === '' ? null : await reach.find(team, before);
    return drawn?.user === user ? before : people.accountOf(team, user);
  });

/** @throws errors of Slack, for the log */
export async function pressBuild(context: SlackContext, signal: PressSignal): Promise<void> {
  const { team, pressed } = signal;
  const { view, user, trigger_id } = pressed;
  const held = view === undefined ? null : readBuildHeld(team, user.id, view);
  if (view === undefined || held === null) return;
  const builder = await builderOf(context, held);
  if (isStepForm(view)) return redrawForm(context, held, signal, builder);
  const press = readPress(pressed);
  if (press === null) return;
  if (press === 'form') return pushForm(context, held, trigger_id, builder.read);
  const change = () => builder.change([press]);
  const opens = press.kind === 'choose' || press.kind === 'edit';
  if (opens) await pushForm(context, held, trigger_id, change);
  // Drawn below an open form too, for Back.
  const drawn = await orNotice(context, async () => {
    if (!opens) await change();
    return drawPlan(context, held);
  });
  await putView(context, team, { id: view.id }, drawn);
}

const maxOptions = platformLimits.slack.options;

const toOption = (label: string, value: string) => ({
  text: {
    type: 'plain_text',
    text: cutShown(label, platformLimits.slack.optionText),
    emoji: false,
  },
  value,
});

async function listOptions(context: SlackContext, { team, suggest }: SuggestSignal) {
  const { view, user, block_id, action_id, value: typed } = suggest;
  const held = readBuildHeld(team, user.id, view);
  if (held === null) return [];
  const { service } = context;
  const { actor, read } = await builderOf(context, held);
  if (action_id === buildActions.operation) {
    const offers = await service.findForms(typed, maxOptions, actor);
    return offers
      .filter(({ name }) => name.length <= platformLimits.slack.optionValue)
      .map((offer) => toOption(`${gistOf(offer)} (${nameOperation(offer)})`, offer.name));
  }
  const { step } = await read();
  const field =
    step === null ? undefined : shownFields(step).find((one) => buildBlock(one.name) === block_id);
  if (step === null || field === undefined) return [];
  const found = await service.suggestValues(step.form.name, field.name, typed, actor);
  const own = typed.trim();
  // The typed value may be a file to create.
  const isNew = own !== '' && !found.some(({ value }) => value === own);
  return [
    ...(isNew ? [toOption(words.use({ typed: own }), own)] : []),
    ...found.map(({ value, label }) => toOption(label, value)),
  ]
    .filter(({ value }) => value.length <= platformLimits.slack.optionValue)
    .slice(0, maxOptions);
}

/** Never throws: an empty menu says so itself. */
export async function suggestBuild(context: SlackContext, signal: SuggestSignal) {
  try {
    const late = pause(answersWithinMs, [], { ref: false });
    return { options: await Promise.race([listOptions(context, signal), late]) };
  } catch (error) {
    if (!(error instanceof CountersignError))
      context.warn('Could not fill a menu of the plan builder in Slack.', error);
    return { options: [] };
  }
}

const refuse = (block: string, message: string): Acknowledgement => ({
  response_action: 'errors',
  errors: { [block]: message },
});

async function submitForm(
  context: SlackContext,
  held: BuildHeld,
  view: SentSignal['sent']['view'],
): Promise<Acknowledgement> {
  const { read, change, viewer } = await builderOf(context, held);
  const form = viewForm(await read(), held.page);
  // An earlier submission, timed out by Slack, added the step.
  if (form === null) return handled;
  const { isLast } = form;
  const entered = await enteredIn(context, held, view, form);
  const changes: BuildChange[] = isLast ? [...entered, { kind: 'add' }] : entered;
  const build = await change(changes);
  const next = isLast ? viewForm(build, null) : viewForm(build, held.page + 1);
  if (next === null) {
    const root = view.root_view_id;
    if (root !== undefined)
      void orNotice(context, () =>
        held.edits === undefined ? drawPlan(context, held) : drawReview(context, held, viewer),
      ).then((drawn) => putView(context, held.team, { id: root }, drawn));
    return handled;
  }
  const here = new Map(form.fields.map(({ name }): [string, string] => [name, buildBlock(name)]));
  const shown = build.problems.map(({ name, message }) => ({
    block: here.get(name) ?? (name === 'at' ? buildBlocks.at : undefined),
    message,
  }));
  if (isLast && shown.every(({ block }) => block !== undefined)) {
    const errors = Object.fromEntries(shown.map(({ block = '', message }) => [block, message]));
    return { response_action: 'errors', errors };
  }
  return { response_action: 'update', view: await drawStep(context, held, next) };
}

/** The plan's review below the form, with the proposed change. */
async function drawReview(
  { service }: SlackContext,
  { team, user, place, edits }: BuildHeld,
  viewer: Builder['viewer'],
): Promise<types.ModalView> {
  const { id, version, digest } = await service.getPlan(edits?.plan ?? '');
  const press = { action: 'details' as const, plan_id: id, version, digest };
  const held = { team, user, place, press, missing: null, fields: [], pages: [''] };
  return fillWindow(service, held, viewer);
}

/** A press in a plan's review: the form of one of its steps. */
export async function editStep(context: SlackContext, { team, pressed }: PressSignal) {
  const { view, actions, user, trigger_id: trigger } = pressed;
  const held = readHeld(view?.private_metadata ?? '');
  const step = actions[0]?.value ?? '';
  if (held === null || held.team !== team || held.user !== user.id) return;
  // Windows opened from a list decide nothing.
  if (held.place === null || !('plan_id' in held.press)) return;
  const edits = { plan: held.press.plan_id, step };
  const opened: BuildHeld = { team, user: user.id, place: held.place, page: 0, edits };
  await pushForm(context, opened, trigger, () => openEdit(context, opened, step));
}

async function submitTerms(
  context: SlackContext,
  held: BuildHeld,
  view: SentSignal['sent']['view'],
): Promise<Acknowledgement> {
  const { change } = await builderOf(context, held);
  const { problems } = await change([readTermsIn(view)]);
  const wrong = problems.find(({ name }) => name === fromProblem);
  return wrong === undefined ? null : refuse(buildBlocks.from, wrong.message);
}

/** Null for a proposal, which is processed later. Never throws. */
export async function submitBuild(
  context: SlackContext,
  { team, sent }: SentSignal,
): Promise<Acknowledgement> {
  const { view, user } = sent;
  const held = readBuildHeld(team, user.id, view);
  if (held === null) return handled;
  const isForm = isStepForm(view);
  const work = isForm ? submitForm(context, held, view) : submitTerms(context, held, view);
  const firstOf = Object.keys(view.state?.values ?? {})[0] ?? buildBlocks.at;
  const block = isForm ? firstOf : buildBlocks.title;
  const late = pause(answersWithinMs, null, { ref: false }).then(() =>
    refuse(block, pressWords.tooLate),
  );
  try {
    return await Promise.race([work, late]);
  } catch (error) {
    if (error instanceof CountersignError) return refuse(block, error.message);
    context.warn('A submission of the plan builder failed in Slack.', error);
    return refuse(block, pressWords.failed);
  }
}

/** The builder's thread, else direct messages, or null. */
async function choosePlace(
  { port, reach, warn }: SlackContext,
  { team, user, place }: BuildHeld,
  timezone: string,
) {
  if (place !== null) {
    const there = placeOf(team, place.channel, place.thread);
    try {
      await port.whisper(there, user, { text: escapeMrkdwn(words.proposed), card: null });
      return there;
    } catch (error) {
      if (!(error instanceof CountersignError) || error.passesAfterMs !== null) throw error;
      warn(
        "The app can't post in the thread, so a plan built in Slack is sent as a direct message.",
        error,
      );
    }
  }
  return reach.openDirect(team, { user, timezone });
}

/** Once per window. */
export async function proposeBuild(context: SlackContext, { team, sent }: SentSignal) {
  const { view, user } = sent;
  const held = readBuildHeld(team, user.id, view);
  if (held === null || isStepForm(view)) return;
  const { actor, viewer } = await builderOf(context, held);
  const place = await choosePlace(context, held, viewer.timezone);
  try {
    const direct = place?.thread === null ? viewer.timezone : null;
    const conversation =
      place === null ? {} : { conversation: await context.openConversation(place, direct) };
    const once = `slack:${team}:build:${view.id}`;
    await context.service.proposeBuild({ ...conversation, once }, viewer, actor);
  } catch (error) {
    if (!(error instanceof CountersignError) || error.passesAfterMs !== null) throw error;
    await tellAlone(context, { team, user: user.id, place }, error.message);
  }
}
