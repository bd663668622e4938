// What an empty conversation shows: what this is for, and requests one can press.
import { html, type TemplateResult } from 'lit-html';
import { fillComposer } from './composer.ts';

const examples = [
  {
    text: 'Create notes/standup.md saying Standup at 9:30, then move it to archive/standup.md',
    shows: 'Two steps, one after the other',
  },
  {
    text: 'Write three files a.txt, b.txt and c.txt each containing its own name, and after that list the workspace',
    shows: 'Steps that run side by side',
  },
  { text: 'Remind me every weekday at 9:30 to post the standup', shows: 'Something for later' },
  { text: 'What is in the workspace?', shows: 'A question, answered without a plan' },
];

export function drawWelcome(): TemplateResult {
  return html`<div class="welcome">
    <h1>What should be done?</h1>
    <p>You get a plan first. Nothing runs until you approve it.</p>
    <ul class="examples">
      ${examples.map(
        ({ text, shows }) => html`<li>
          <button class="example" @click=${() => fillComposer(text)}>
            <span class="example-text">${text}</span>
            <span class="example-shows">${shows}</span>
          </button>
        </li>`,
      )}
    </ul>
  </div>`;
}
