// Keyboard shortcuts, their dialog and switch.
import { html, nothing, type TemplateResult } from '../lit.ts';
import { showPane } from '../live/focus.ts';
import { layRail, showView, toggleTick } from '../live/inbox.ts';
import { startConversation } from '../live/navigation.ts';
import { openBuilder } from '../live/open.ts';
import { recall, remember } from '../live/remembered.ts';
import type { State } from '../live/state.ts';
import { afterDrawing, change, state } from '../live/store.ts';
import { drawDialog } from './dialog.ts';
import { focusEntry, moveSelection } from './inbox-focus.ts';

type Shortcut = { keys: string[]; shown: string[]; does: string; act: () => void };

/** The rail overlays the page; below, one of three parts is shown. */
const overlaid = matchMedia('(min-width: 800px) and (max-width: 1199.98px)');
const narrow = matchMedia('(max-width: 799.98px)');

/** With the rail in sight at any width. */
function inRail(act: () => void): void {
  const { pane, inbox } = state;
  const hidden = (narrow.matches && pane !== 'inbox') || (overlaid.matches && !inbox.over);
  if (!hidden && inbox.view === 'plans') {
    act();
    return;
  }
  if (narrow.matches) showPane('inbox');
  layRail(overlaid.matches);
  showView('plans');
  afterDrawing(act);
}

function compose(): void {
  layRail(false);
  showPane('conversation');
  afterDrawing(() => document.getElementById('say')?.focus());
}

function readPlan(): void {
  if (state.plan === null) return;
  layRail(false);
  showPane('plan');
  afterDrawing(() => document.getElementById('tab-panel')?.focus());
}

/** Plans too large for a card are reviewed first. */
const buttons = {
  approve: ':is([data-opens^="approve "], [data-opens^="details "])',
  changes: '[data-opens^="propose_changes "]',
};

/** Only focuses Approve, so nothing is decided unseen. */
function decide(action: keyof typeof buttons): void {
  if (state.plan === null) return;
  layRail(false);
  showPane('plan');
  afterDrawing(() => {
    const button = document.querySelector<HTMLElement>(`.review-bar ${buttons[action]}`);
    if (button === null) return;
    if (action === 'changes' || button === document.activeElement) return button.click();
    button.focus();
    button.scrollIntoView({ block: 'nearest' });
  });
}

const table: Shortcut[] = [
  {
    keys: ['j'],
    shown: ['J'],
    does: 'Next plan in the inbox',
    act: () => inRail(() => moveSelection(1)),
  },
  { keys: ['k'], shown: ['K'], does: 'Previous plan', act: () => inRail(() => moveSelection(-1)) },
  {
    keys: ['x'],
    shown: ['X'],
    does: 'Select the plan, to decide about several',
    act: () => {
      if (state.inbox.selected !== null) toggleTick(state.inbox.selected);
    },
  },
  {
    keys: ['a'],
    shown: ['A'],
    does: 'Go to Approve; again to approve',
    act: () => decide('approve'),
  },
  { keys: ['r'], shown: ['R'], does: 'Propose changes', act: () => decide('changes') },
  {
    keys: ['/'],
    shown: ['/'],
    does: 'Search the plans',
    act: () => inRail(() => document.getElementById('inbox-search')?.focus()),
  },
  {
    keys: ['g', 'i'],
    shown: ['G', 'I'],
    does: 'Go to the inbox',
    act: () => inRail(() => focusEntry(null)),
  },
  { keys: ['g', 'c'], shown: ['G', 'C'], does: 'Go to the conversation', act: compose },
  { keys: ['g', 'p'], shown: ['G', 'P'], does: 'Go to the plan', act: readPlan },
  {
    keys: ['n'],
    shown: ['N'],
    does: 'New conversation',
    act: () => void startConversation().then(compose),
  },
  { keys: ['?'], shown: ['?'], does: 'Show these shortcuts', act: toggleShortcuts },
];

const enabledKey = 'shortcuts';
const isEnabled = () => recall(enabledKey) !== false;

export function toggleShortcuts(): void {
  if (state.shortcuts) document.querySelector<HTMLDialogElement>('dialog#shortcuts')?.close();
  change((s) => {
    s.shortcuts = !s.shortcuts;
  });
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.matches('textarea, select, input:not([type="checkbox"], [type="radio"])'))
  );
}

/** First of two keys. */
let begun = { key: '', at: 0 };
const pairWithin = 1500;

function onKey(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, altKey, repeat, isComposing, defaultPrevented, target } = event;
  if (key.toLowerCase() === 'k' && ctrlKey !== metaKey && !altKey && !isComposing) {
    event.preventDefault();
    void openBuilder();
    return;
  }
  if (ctrlKey || metaKey || altKey || isComposing || defaultPrevented) return;
  if (isTyping(target) || !isEnabled() || document.querySelector('dialog[open]') !== null) return;
  const pressed = key.toLowerCase();
  const first = event.timeStamp - begun.at < pairWithin ? begun.key : '';
  begun = { key: '', at: 0 };
  const found =
    table.find(({ keys }) => keys.length === 2 && keys[0] === first && keys[1] === pressed) ??
    table.find(({ keys }) => keys.length === 1 && keys[0] === pressed);
  if (found === undefined) {
    if (table.some(({ keys }) => keys[0] === pressed))
      begun = { key: pressed, at: event.timeStamp };
    return;
  }
  // A held key only moves.
  if (repeat && !['j', 'k'].includes(pressed)) return;
  event.preventDefault();
  found.act();
}

export function listenForShortcuts(): void {
  document.addEventListener('keydown', onKey);
  overlaid.addEventListener('change', () => layRail(false));
}

function onSwitch({ target }: Event): void {
  if (target instanceof HTMLInputElement) remember(enabledKey, target.checked);
}

export function drawShortcuts({ shortcuts }: State): TemplateResult | typeof nothing {
  if (!shortcuts) return nothing;
  const also: [string[], string][] = [
    [['Ctrl or ⌘', 'K'], 'Build a plan'],
    [['Enter'], 'Open the plan'],
    [['↑', '↓', 'Home', 'End'], 'Move in the list'],
    [['Esc'], 'Close, or clear the selection'],
  ];
  const rows: [string[], string][] = [
    ...table.map(({ shown, does }): [string[], string] => [shown, does]),
    ...also,
  ];
  return drawDialog({
    id: 'shortcuts',
    title: 'Keyboard shortcuts',
    close: toggleShortcuts,
    body: html`<dl class="shortcuts">
        ${rows.map(([keys, does]) => html`<div><dt>${keys.map((key) => html`<kbd>${key}</kbd> `)}</dt><dd>${does}</dd></div>`)}
      </dl>
      <label class="shortcuts-switch">
        <input type="checkbox" .checked=${isEnabled()} @change=${onSwitch} /> Single keys do this when no field has the focus
      </label>`,
  });
}
