// A step's action by kind, with every argument.
import { showTarget } from '#domain/chat/post-target.ts';
import { nameArgument } from '#domain/plan/argument-words.ts';
import type { ShownStep } from '#domain/plan/call.ts';
import { isRecord } from '#domain/plan/operation-form.ts';
import type { StepPreview } from '#domain/plan/preview.ts';
import { showText } from '#domain/shown-text.ts';
import type { Json } from '#domain/text.ts';
import { html, nothing, type TemplateResult } from '../lit.ts';
import type { State } from '../live/state.ts';
import { argumentsOf, isKnown, spreadJson } from '../plan/argument.ts';
import type { StepLabels } from '../plan/step-labels.ts';
import { drawArguments, drawRest, drawText, drawValue } from './argument.ts';
import { drawLeaving, drawWrite } from './file-diff.ts';

type Drawn = TemplateResult | typeof nothing;

type Body = {
  state: State;
  step: ShownStep;
  names: StepLabels;
  preview: StepPreview | undefined;
  /** Takes an argument out of the rest. */
  take: (name: string) => Json | undefined;
};

function drawWriteBody({ state, step, names, preview, take }: Body): Drawn {
  const content = take('content');
  if (isKnown(content)) return drawWrite(state, step.id, content, preview);
  return content === undefined ? nothing : drawArguments([['content', content]], names);
}

function drawBodyText(body: Json, names: StepLabels): TemplateResult {
  if (!isKnown(body)) return drawValue(body, names);
  const spread = spreadJson(body);
  return html`<pre class="json" tabindex="0">${showText(spread ?? body)}</pre>`;
}

/** Headers and body; the headline has the rest. */
function drawRequest({ names, take }: Body): Drawn {
  take('method');
  take('url');
  const headers = take('headers');
  const body = take('body');
  if (headers === undefined && body === undefined) return nothing;
  return html`<div class="request">
    ${headers === undefined ? nothing : isRecord(headers) ? drawRest(Object.entries(headers), names) : drawValue(headers, names)}
    ${body === undefined ? nothing : drawBodyText(body, names)}
  </div>`;
}

function drawMessage({ names, take, step }: Body): TemplateResult {
  const text = take('text');
  const conversation = take('conversation');
  const where =
    step.tool === 'reminder'
      ? 'Reminder'
      : conversation === undefined
        ? 'Posted here'
        : 'Posted in';
  return html`<figure class="message-preview">
    <figcaption>${where} ${conversation === undefined ? nothing : drawValue(showTarget(conversation), names)}</figcaption>
    ${text === undefined ? nothing : isKnown(text) ? html`<p>${showText(text)}</p>` : drawValue(text, names)}
  </figure>`;
}

/** As its person will see it. */
function drawQuestion({ names, take, step }: Body): TemplateResult {
  take('assignee');
  const question = take('question');
  take('form');
  const form = step.call.parts.find(({ label }) => label === 'form');
  return html`<figure class="message-preview">
    <figcaption>${step.operation === 'confirm' ? 'Asks to confirm (yes/no)' : 'Asks'}</figcaption>
    ${question === undefined ? nothing : isKnown(question) ? html`<p>${showText(question)}</p>` : drawValue(question, names)}
    ${
      form === undefined
        ? nothing
        : html`<ul class="form-fields">
            ${form.text.split('\n').map((line) => html`<li>${showText(line)}</li>`)}
          </ul>`
    }
  </figure>`;
}

const bodies: Record<string, (body: Body) => Drawn> = {
  workspace_write: drawWriteBody,
  workspace_edit: ({ state, step, preview }) =>
    preview?.file.hunks == null ? nothing : drawWrite(state, step.id, '', preview),
  workspace_copy: ({ preview }) => drawLeaving(preview, 'What is replaced'),
  workspace_delete: ({ preview }) => drawLeaving(preview, 'What is deleted'),
  workspace_move: ({ preview }) => drawLeaving(preview, 'What is moved'),
  http_get: drawRequest,
  http_request: drawRequest,
  chat_post: drawMessage,
  reminder_set: drawMessage,
  human_task: drawQuestion,
  human_confirm: drawQuestion,
};

/** The headline has them whole. */
const named = /^(?:path|from|to)$/;

export function drawStepBody(
  state: State,
  step: ShownStep,
  names: StepLabels,
  preview: StepPreview | undefined,
): Drawn {
  const left = new Map(Object.entries(argumentsOf(step)));
  const take = (name: string): Json | undefined => {
    const value = left.get(name);
    left.delete(name);
    return value;
  };
  const name = `${step.tool}_${step.operation}`;
  const draw = Object.hasOwn(bodies, name) ? bodies[name] : undefined;
  const body = draw?.({ state, step, names, preview, take }) ?? nothing;
  const rest = [...left].filter(([key]) => step.tool !== 'workspace' || !named.test(key));
  const seen = draw === undefined || preview === undefined ? drawSeen(step) : nothing;
  if (body === nothing && rest.length === 0 && seen === nothing) return nothing;
  return html`<div class="step-body">${seen} ${body} ${drawRest(
    rest.map((entry) => inWords(step, entry)),
    names,
  )}</div>`;
}

function inWords({ call }: ShownStep, [name, value]: [string, Json]): [string, Json] {
  const words = nameArgument(name);
  if (!call.parts.some(({ label }) => label === words)) return [name, value];
  return [words, typeof value === 'boolean' ? (value ? 'yes' : 'no') : value];
}

/** For targets other than files. */
function drawSeen({ call }: ShownStep): Drawn {
  const aids = call.parts.filter(({ aid, label }) => aid === true && label === 'current content');
  return aids.length === 0
    ? nothing
    : html`${aids.map(({ label, text }) => html`<div><p class="muted">${label}</p>${drawText(text)}</div>`)}`;
}
