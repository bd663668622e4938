// Keeps the latest message in sight, unless the reader has scrolled up to read. A message that is taller than the
// column is shown from its beginning: what a person needs for a decision comes first.

const room = 12;
/** Within this many pixels a reader counts as at the end: the last card ends a little above it. */
const near = 24;

/** The conversation and how many messages it had at the last drawing. */
let known = { conversation: '', messages: 0 };
/** Where the reader is: at `start`, where this module put the column; at its `end`; or `away`, reading something else. */
let reader: 'start' | 'end' | 'away' = 'start';
/** Where this module last put the column; any other place is the reader's doing. */
let placed = 0;
let watched: HTMLElement | null = null;

const endOf = (list: HTMLElement) => list.scrollHeight - list.clientHeight;

/** The column's scroll position: its end, the top of a last message that doesn't fit, or the top of the welcome. */
function findPlace(list: HTMLElement): number {
  const end = endOf(list);
  const last = [...list.querySelectorAll<HTMLElement>('.message')].at(-1);
  if (last === undefined) return 0;
  const top = list.scrollTop + last.getBoundingClientRect().top - list.getBoundingClientRect().top;
  return Math.max(0, Math.min(end, top - room));
}

function place(list: HTMLElement, top: number): void {
  list.scrollTop = top;
  placed = list.scrollTop;
}

function showLatest(list: HTMLElement): void {
  place(list, findPlace(list));
  reader = 'start';
}

function noticeReader(list: HTMLElement): void {
  if (Math.abs(list.scrollTop - placed) <= 2) return;
  placed = list.scrollTop;
  reader = endOf(list) - list.scrollTop <= near ? 'end' : 'away';
}

/** Keeps the reader's place when content grows or shrinks, unless an opened part was scrolled to. */
function followSize(list: HTMLElement): void {
  noticeReader(list);
  if (reader === 'start') place(list, findPlace(list));
  else if (reader === 'end') place(list, endOf(list));
}

function watch(list: HTMLElement): void {
  if (watched === list) return;
  watched = list;
  list.addEventListener('scroll', () => noticeReader(list));
  const grown = new ResizeObserver(() => followSize(list));
  if (list.firstElementChild !== null) grown.observe(list.firstElementChild);
}

/** Call when drawing; scrolls after the drawing is on the page. */
export function stickToEnd(conversation: string, messages: number): void {
  const other = conversation !== known.conversation;
  const added = other || messages !== known.messages;
  known = { conversation, messages };
  if (other) reader = 'start';
  requestAnimationFrame(() => {
    const list = document.getElementById('messages');
    if (list === null) return;
    watch(list);
    if (added && reader !== 'away') showLatest(list);
  });
}

/** A person who says something wants to see it, and what comes of it, wherever they were reading. */
export function returnToLatest(): void {
  const list = document.getElementById('messages');
  if (list !== null) showLatest(list);
}
