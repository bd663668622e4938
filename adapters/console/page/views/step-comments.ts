// Comments in the review of a plan.
import { headlineOf } from '#cards/calls.ts';
import type { ShownStep } from '#domain/plan/call.ts';
import { cutText, showText } from '#domain/shown-text.ts';
import { html, nothing, type TemplateResult } from '../lit.ts';
import {
  commentInput,
  comments,
  leaveComment,
  saveComment,
  startComment,
} from '../live/comments.ts';
import { noteTyped, typedIn } from '../live/forms.ts';
import type { Card, Comment, State } from '../live/state.ts';
import { drawIcon } from './parts.ts';

const maxEffect = 120;

type Drawn = TemplateResult | typeof nothing;

const mayComment = ({ view }: Card): boolean =>
  view.buttons.some(({ press }) => press.action === 'propose_changes');

function onKey(save: () => void) {
  return (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      event.preventDefault();
      leaveComment();
    }
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      save();
    }
  };
}

function drawForm(state: State, card: Card, step: ShownStep, label: string): TemplateResult {
  const { id: plan } = card.facts.plan;
  const input = commentInput(step.id);
  const effect = cutText(headlineOf(step.call), maxEffect);
  const save = () => saveComment(card, step, label, effect);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    save();
  };
  return html`<form class="comment-form" @submit=${submit} @keydown=${onKey(save)}>
    <textarea
      rows="2"
      maxlength="4000"
      aria-label=${`Comment on step ${label}`}
      placeholder="What should be different in this step?"
      .value=${typedIn(state, plan, input)}
      @input=${({ target }: Event) => {
        if (target instanceof HTMLTextAreaElement) noteTyped(plan, input, target.value);
      }}
    ></textarea>
    <div class="bar-buttons">
      <button type="button" class="plain-button" @click=${leaveComment}>Cancel</button>
      <button type="submit" class="primary">Add comment</button>
    </div>
  </form>`;
}

function drawComment(card: Card, comment: Comment): TemplateResult {
  return html`<div class="comment">
    <p>${showText(comment.text)}</p>
    <div class="comment-buttons">
      <button class="quiet" data-comment=${comment.step} @click=${() => startComment(card, comment.step)}>
        Edit
      </button>
      <button class="quiet" @click=${() => comments.remove(card.facts.plan.id, comment)}>Remove</button>
    </div>
  </div>`;
}

export function drawStepComment(
  state: State,
  card: Card,
  step: ShownStep,
  label: string,
): { comment: Drawn; commentButton: Drawn } {
  if (!mayComment(card)) return { comment: nothing, commentButton: nothing };
  const { commenting } = state;
  const writing = commenting?.plan === card.facts.plan.id && commenting.step === step.id;
  const known = comments.split(card).current.find((one) => one.step === step.id);
  const comment = writing
    ? drawForm(state, card, step, label)
    : known === undefined
      ? nothing
      : drawComment(card, known);
  const commentButton =
    writing || known !== undefined
      ? nothing
      : html`<button
          class="quiet comment-button"
          data-comment=${step.id}
          aria-label=${`Comment on step ${label}`}
          title="Comment"
          @click=${() => startComment(card, step.id)}
        >
          ${drawIcon('talk')}<span>Comment</span>
        </button>`;
  return { comment, commentButton };
}

/** Comments on replaced versions. */
export function drawOlderComments(card: Card): Drawn {
  const { older } = comments.split(card);
  if (older.length === 0) return nothing;
  return html`<section class="older-comments" aria-label="Comments on earlier versions">
    <h3>Not sent</h3>
    <ul>
      ${older.map(
        (one) => html`<li class="comment">
          <p>
            <span class="muted">From version ${one.version}, step ${one.label}: ${one.effect}</span><br />${showText(one.text)}
          </p>
          <button class="quiet" @click=${() => comments.remove(card.facts.plan.id, one)}>Remove</button>
        </li>`,
      )}
    </ul>
  </section>`;
}
