import { type EvalCase, type Expectation, gate, plans, writes } from '../case.ts';

const small: Expectation['atMost'] = { calls: 1 };
const notYet = ['has been', 'was created', 'I created', 'I have', 'done'];

export const plain: EvalCase[] = [
  {
    id: 'plain-remember',
    request: 'merk dir bitte, dass der Build um 6 Uhr läuft',
    expect: { outcome: 'question', keeps: ['der Build um 6 Uhr läuft'], atMost: { calls: 1 } },
  },
  {
    id: 'plain-remembered',
    request: 'write ana’s address to contact.txt',
    memory: [{ id: 7, name: 'Ana', text: 'ana.mori@example.com' }],
    expect: plans([writes('contact.txt', { $has: ['ana.mori@example.com'] })], {
      count: 1,
      keeps: [],
      atMost: { calls: 1 },
    }),
  },
  {
    id: 'plain-list-in-file',
    request:
      'hi, can you please make me a file packing.txt with tent, stove and two torches in it?',
    expect: plans(
      [
        writes('packing.txt', {
          $has: ['tent', 'stove', 'two torches'],
          $lacks: ['in it', 'please'],
        }),
      ],
      { count: 1, says: { lacks: notYet }, atMost: { calls: 1, tokens: 4000 } },
    ),
  },
  {
    id: 'plain-two-sentences',
    request: 'Write kickoff.md saying Kickoff at ten. Then retro.md saying Retro at four.',
    expect: plans(
      [
        writes('kickoff.md', { $has: ['kickoff at ten'], $lacks: ['retro'] }),
        writes('retro.md', { $has: ['retro at four'], $lacks: ['kickoff'] }),
      ],
      { count: 2, atMost: small },
    ),
  },
  {
    id: 'plain-list-of-lines',
    request: '- make a.txt saying alpha\n- make b.txt saying beta\n- then delete old/list.txt',
    files: { 'old/list.txt': 'gone soon' },
    expect: plans(
      [
        writes('a.txt', 'alpha'),
        writes('b.txt', 'beta'),
        gate('workspace_delete', { path: 'old/list.txt' }),
      ],
      {
        count: 3,
        order: [
          ['1', '3'],
          ['2', '3'],
        ],
        atMost: { calls: 2 },
      },
    ),
  },
  {
    id: 'plain-post-here',
    request: 'pls post in here that the demo moved to thursday 3pm',
    expect: plans(
      [
        gate('chat_post', {
          text: { $has: ['demo', 'thursday', '3'], $lacks: ['in here', 'pls'] },
          conversation: { $absent: true },
        }),
      ],
      { count: 1, atMost: small },
    ),
  },
  {
    id: 'plain-post-there',
    request: 'Tell the people in #facilities that the kitchen stays closed on Monday',
    expect: plans(
      [
        gate('chat_post', {
          text: { $has: ['kitchen', 'closed', 'monday'], $lacks: ['#facilities'] },
          conversation: { $has: ['facilities'] },
        }),
      ],
      { count: 1, atMost: small },
    ),
  },
  {
    id: 'plain-webhook',
    request: 'POST {"ref":"main","dry":false} to https://hooks.example.net/ci',
    expect: plans(
      [
        gate('http_request', {
          url: 'https://hooks.example.net/ci',
          method: 'POST',
          body: { $any: [{ ref: 'main', dry: false }, '{"ref":"main","dry":false}'] },
        }),
      ],
      { count: 1, atMost: small },
    ),
  },
  {
    id: 'plain-rename',
    request: 'rename brand/logo-old.svg to logo-2025.svg, same folder',
    files: { 'brand/logo-old.svg': '<svg/>', 'brand/logo.svg': '<svg/>' },
    expect: plans(
      [gate('workspace_move', { from: 'brand/logo-old.svg', to: 'brand/logo-2025.svg' })],
      { count: 1, atMost: { calls: 2 } },
    ),
  },
  {
    id: 'plain-shared-folder',
    request: 'Move contracts/acme.pdf and globex.pdf to contracts/signed/',
    files: { 'contracts/acme.pdf': 'a', 'contracts/globex.pdf': 'g' },
    expect: plans(
      [
        gate('workspace_move', { from: 'contracts/acme.pdf', to: 'contracts/signed/acme.pdf' }),
        gate('workspace_move', { from: 'contracts/globex.pdf', to: 'contracts/signed/globex.pdf' }),
      ],
      { count: 2, atMost: { calls: 2 } },
    ),
  },
  {
    id: 'plain-german',
    request: 'Leg bitte eine Datei einkauf.txt an mit Milch, Eiern und Brot',
    expect: plans([writes('einkauf.txt', { $has: ['milch', 'eier', 'brot'] })], {
      count: 1,
      says: { oneOf: ['schreib', 'anleg', 'legt', 'erstell'], lacks: ['Writes', 'Create'] },
      atMost: small,
    }),
  },
  {
    id: 'plain-wait',
    request: "wait 5 minutes, then post 'coffee is ready' here",
    expect: plans(
      [
        gate('control_wait', { seconds: 300 }, { key: 'wait' }),
        gate('chat_post', { text: { $has: ['coffee is ready'] } }, { key: 'post' }),
      ],
      { count: 2, order: [['wait', 'post']], atMost: small },
    ),
  },
  {
    id: 'plain-thanks',
    request: 'thanks, that was quick',
    history: [
      { author: 'person', text: 'how many seats does the blue room have?', kind: 'said' },
      { author: 'bot', text: 'The blue room has 12 seats (rooms.md).', kind: 'answer' },
    ],
    expect: { outcome: 'answer', atMost: small },
  },
  {
    id: 'plain-cannot',
    request: 'book us a table for four at Trattoria Nina tomorrow at 8',
    expect: {
      outcome: 'cannot',
      says: { lacks: ['booked a', 'reserved a'] },
      atMost: { calls: 2 },
    },
  },
];
