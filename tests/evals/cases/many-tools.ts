// One of 300 unlisted operations is found by its purpose.
import {
  type CannedOperation,
  does,
  type EvalCase,
  type Expectation,
  fields,
  gate,
  listOf,
  looks,
  plans,
  text,
} from '../case.ts';

const servers = [
  'hr',
  'billing',
  'wiki',
  'fleet',
  'shop',
  'lab',
  'legal',
  'travel',
  'print',
  'media',
];
const things = [
  'record',
  'folder',
  'group',
  'label',
  'note',
  'member',
  'invoice',
  'order',
  'file',
  'task',
];

const filler: CannedOperation[] = servers.flatMap((server) =>
  things.flatMap((thing) => [
    looks(
      `${server}_list_${thing}s`,
      `List the ${thing}s of ${server}.`,
      { 'page?': text },
      undefined,
    ),
    does(`${server}_create_${thing}`, `Create a ${thing} in ${server}.`, {
      name: text,
      'notes?': text,
    }),
    does(`${server}_remove_${thing}`, `Remove a ${thing} from ${server}.`, { id: text }),
  ]),
);

const own: CannedOperation[] = [
  does(
    'billing_suspend_account',
    'Pause all invoicing and the access of a customer until it is lifted.',
    { customer: text, 'reason?': text },
    fields({ customer: text, state: text }),
  ),
  does('travel_file_expense', 'Hand in a receipt for reimbursement.', {
    amount: { type: 'number' },
    currency: text,
    what: text,
  }),
  looks(
    'hr_get_rota',
    'Who is on duty, by team and day.',
    { team: text, 'day?': text },
    fields({ people: listOf(text) }),
    { args: { team: 'support' }, data: { people: ['Nadia'] } },
  ),
  does('fleet_reserve_vehicle', 'Reserve a company vehicle for a span of time.', {
    from: text,
    to: text,
    'seats?': { type: 'integer' },
  }),
  looks(
    'legal_find_clause',
    'Search the clauses of signed contracts.',
    { query: text },
    fields({ clauses: listOf(text) }),
    {
      data: { clauses: ['Acme 7.2: either side may terminate with 60 days notice.'] },
    },
  ),
  does(
    'fibu_gutschrift_ausstellen',
    'Stellt eine Gutschrift aus und erstattet dem Kunden den Betrag einer bezahlten Rechnung.',
    { rechnung: text, 'grund?': text },
  ),
];

const operations = [...filler.slice(0, 150), ...own, ...filler.slice(150)];
const small: Expectation['atMost'] = { calls: 4, tokensACall: 7000 };

export const manyTools: EvalCase[] = [
  {
    id: 'many-tools-hold',
    request: 'put Initech on hold please, they have not paid since January',
    operations,
    expect: {
      outcome: ['proposal', 'question'],
      steps: [gate('billing_suspend_account', { customer: { $has: ['initech'] } })],
      only: ['billing_suspend_account'],
      atMost: small,
    },
  },
  {
    id: 'many-tools-taxi',
    request: 'i paid 41 euros for a taxi yesterday, can you get me that back from the company?',
    operations,
    expect: plans(
      [
        gate('travel_file_expense', {
          amount: 41,
          currency: { $any: ['EUR', 'euro', 'euros'] },
          what: { $has: ['taxi'] },
        }),
      ],
      { count: 1, atMost: small },
    ),
  },
  {
    id: 'many-tools-rota',
    request: 'who covers support tonight?',
    operations,
    expect: {
      outcome: 'answer',
      reads: { must: ['hr_get_rota'] },
      says: { has: ['Nadia'] },
      atMost: small,
    },
  },
  {
    id: 'many-tools-van',
    request: 'I need a van for 6 people on friday from 9 to 13',
    operations,
    expect: plans(
      [
        gate('fleet_reserve_vehicle', {
          from: { $has: ['2026-03-06'] },
          to: { $has: ['13'] },
          seats: { $any: [6, 7] },
        }),
      ],
      { count: 1, atMost: small },
    ),
  },
  {
    id: 'many-tools-clause',
    request: 'how long before can we get out of the Acme contract?',
    operations,
    expect: {
      outcome: 'answer',
      reads: { must: ['legal_find_clause'] },
      says: { has: ['60'] },
      atMost: small,
    },
  },
  {
    id: 'many-tools-german',
    request: 'Frau Meier bekommt ihr Geld für Rechnung 4711 zurück, die Ware war kaputt',
    operations,
    expect: plans([gate('fibu_gutschrift_ausstellen', { rechnung: { $has: ['4711'] } })], {
      count: 1,
      atMost: { calls: 1, tokensACall: 7000 },
    }),
  },
  {
    id: 'many-tools-cannot',
    request: 'order pizza for the team',
    operations,
    expect: { outcome: ['cannot', 'question'], says: { lacks: ['ordered'] }, atMost: small },
  },
];
