import type { PlanDraft } from '#domain/plan/plan.ts';
import { type EvalCase, gate, plans, step, writes } from '../case.ts';

const launch: PlanDraft = {
  title: 'Announce the new price list',
  summary: 'Writes prices.md, posts about it in #sales and deletes the old list.',
  steps: [
    step(
      '1',
      'workspace_write',
      { path: 'prices.md', content: 'Basic 9\nPro 19\n' },
      'Write prices.md',
    ),
    step(
      '2',
      'chat_post',
      { text: 'The new price list is in prices.md.', conversation: '#sales' },
      'Post in #sales that the new price list is there',
      { after: ['1'] },
    ),
    step('3', 'workspace_delete', { path: 'prices-old.md' }, 'Delete prices-old.md', {
      after: ['2'],
    }),
  ],
};
const request = 'write the new price list, tell sales, get rid of the old one';
const files = { 'prices-old.md': 'Basic 8\nPro 17\n' };

const base = { request, files };

const long: PlanDraft = {
  title: 'Write the 300 certificates',
  summary: 'Writes a certificate for each of the 300 participants.',
  steps: Array.from({ length: 300 }, (_, index) => {
    const name = `participant ${index + 1}`;
    return step(
      String(index + 1),
      'workspace_write',
      { path: `certificates/${index + 1}.txt`, content: `This certifies that ${name} took part.` },
      `Write the certificate of ${name}`,
    );
  }),
};

export const revision: EvalCase[] = [
  {
    id: 'revision-other-channel',
    ...base,
    revises: { plan: launch, feedback: ['step 2 should go to #partners instead'] },
    expect: plans([gate('chat_post', { conversation: { $has: ['partners'] } })], {
      changed: ['2'],
      count: 3,
      says: { lacks: ['in #sales that'] },
      atMost: { calls: 1, tokensACall: 5000 },
    }),
  },
  {
    id: 'revision-drop-last',
    ...base,
    revises: { plan: launch, feedback: ["don't delete the old list"] },
    expect: {
      outcome: 'proposal',
      changed: ['3'],
      count: 2,
      never: ['workspace_delete'],
      says: { lacks: ['deletes'] },
      atMost: { calls: 1 },
    },
  },
  {
    id: 'revision-drop-middle',
    ...base,
    revises: { plan: launch, feedback: ["no need to post anything, they'll see it"] },
    expect: plans(
      [
        gate('workspace_write', {}, { key: 'write' }),
        gate('workspace_delete', {}, { key: 'delete' }),
      ],
      {
        changed: ['2', '3'],
        count: 2,
        never: ['chat_post'],
        order: [['write', 'delete']],
        atMost: { calls: 1 },
      },
    ),
  },
  {
    id: 'revision-add-reminder',
    ...base,
    revises: { plan: launch, feedback: ['and remind me on friday at 9 to check the numbers'] },
    expect: plans(
      [
        gate('reminder_set', {
          at: { $time: '2026-03-06T08:00:00Z' },
          text: { $has: ['numbers'] },
        }),
        gate('workspace_delete', { path: 'prices-old.md' }),
      ],
      { count: 4, atMost: { calls: 1 } },
    ),
  },
  {
    id: 'revision-order',
    ...base,
    revises: { plan: launch, feedback: ['delete the old one before you post'] },
    expect: plans(
      [
        gate('chat_post', {}, { key: 'post' }),
        gate('workspace_delete', {}, { key: 'delete' }),
        gate('workspace_write', {}, { key: 'write' }),
      ],
      {
        changed: ['2', '3'],
        count: 3,
        order: [
          ['delete', 'post'],
          ['write', 'delete'],
        ],
        atMost: { calls: 2 },
      },
    ),
  },
  {
    id: 'revision-confirm-first',
    ...base,
    revises: { plan: launch, feedback: ['Priya has to say yes before the old list is deleted'] },
    expect: plans(
      [
        gate('human_task', { assignee: { $has: ['priya'] } }, { key: 'ask' }),
        gate('workspace_delete', {}, { key: 'delete', when: { value: 'Yes' } }),
        gate('chat_post', { conversation: '#sales' }),
      ],
      { count: 4, order: [['ask', 'delete']], atMost: { calls: 1 } },
    ),
  },
  {
    id: 'revision-german',
    ...base,
    revises: { plan: launch, feedback: ['die Nachricht bitte auf Deutsch'] },
    expect: plans([gate('chat_post', { text: { $has: ['preisliste', 'prices.md'] } })], {
      changed: ['2'],
      atMost: { calls: 1 },
    }),
  },
  {
    id: 'revision-one-of-300',
    request: 'write a certificate for each of our 300 participants',
    revises: { plan: long, feedback: ['step 117 should say that she took part with distinction'] },
    expect: plans([writes('certificates/117.txt', { $has: ['distinction', 'participant 117'] })], {
      changed: ['117'],
      count: 300,
      atMost: { calls: 2, tokensACall: 6000 },
    }),
  },
  {
    id: 'revision-twice',
    request: 'post "standup moves to 9:45" here tomorrow at 8',
    expect: plans([gate('chat_post', {}, { not_before: '2026-03-05T07:00:00Z' })], { count: 1 }),
    turns: [
      {
        changes: 'make that 7:30',
        expect: plans(
          [gate('chat_post', { text: { $has: ['9:45'] } }, { not_before: '2026-03-05T06:30:00Z' })],
          { count: 1, changed: ['1'] },
        ),
      },
      {
        changes: 'and post it in #standup too',
        expect: plans(
          [
            gate('chat_post', { conversation: { $has: ['standup'] } }),
            gate(
              'chat_post',
              { conversation: { $absent: true } },
              { not_before: '2026-03-05T06:30:00Z' },
            ),
          ],
          { count: 2 },
        ),
      },
    ],
  },
  {
    id: 'revision-vague',
    ...base,
    revises: { plan: launch, feedback: ["no, that's not what I meant"] },
    expect: { outcome: 'question', atMost: { calls: 2 } },
  },
];
