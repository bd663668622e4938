// Open requests: ask only if looking does not settle it.
import { type EvalCase, gate, plans } from '../case.ts';

export const ambiguous: EvalCase[] = [
  {
    id: 'ambiguous-two-reports',
    request: 'post the report here',
    files: {
      'reports/sales.md': '# Sales\nUp 4 %',
      'reports/support.md': '# Support\n212 tickets',
    },
    expect: {
      outcome: 'question',
      reads: { must: ['workspace_list'] },
      says: { has: ['sales', 'support'] },
      atMost: { calls: 3 },
    },
  },
  {
    id: 'ambiguous-one-draft',
    request: 'delete the draft of the offer',
    files: {
      'offers/draft-offer.md': 'Dear …',
      'offers/offer-final.md': 'Dear Ms Vo',
      'readme.md': 'x',
    },
    expect: plans([gate('workspace_delete', { path: 'offers/draft-offer.md' })], {
      count: 1,
      reads: { must: ['workspace_list'] },
    }),
  },
  {
    id: 'ambiguous-when',
    request: 'remind me to call the landlord',
    expect: { outcome: 'question', says: { has: ['when'] }, atMost: { calls: 1 } },
  },
  {
    id: 'ambiguous-when-assumed',
    request: 'remind me to call the landlord tomorrow',
    person: { policy: { probing_depth: 0, autonomy: 'high' } },
    expect: plans(
      [gate('reminder_set', { text: { $has: ['landlord'] }, at: { $has: ['2026-03-05'] } })],
      { count: 1, says: { oneOf: ['assum', 'no time'] } },
    ),
  },
  {
    id: 'ambiguous-them',
    request: 'ok move all of them to archive/',
    files: { 'inbox/a.eml': '1', 'inbox/b.eml': '2', 'inbox/c.eml': '3', 'keep.txt': 'k' },
    history: [
      { author: 'person', text: "what's in inbox?", kind: 'said' },
      { author: 'bot', text: 'inbox has a.eml, b.eml and c.eml.', kind: 'answer' },
    ],
    expect: plans(
      ['a', 'b', 'c'].map((name) =>
        gate('workspace_move', { from: `inbox/${name}.eml`, to: `archive/${name}.eml` }),
      ),
      { count: 3 },
    ),
  },
  {
    id: 'ambiguous-which-number',
    request: "change Kim's phone number in contacts.md to 0171 5550199",
    files: {
      'contacts.md': 'Kim Alvarez: 0171 5550100\nKim Osei: 0171 5550101\nLou: 0171 5550102\n',
    },
    expect: {
      outcome: 'question',
      reads: { must: ['workspace_read'] },
      says: { has: ['Alvarez', 'Osei'] },
      atMost: { calls: 2 },
    },
  },
  {
    id: 'ambiguous-answered',
    request: 'send the minutes to the team channel',
    files: { 'minutes/jan.md': 'January: hired two.', 'minutes/feb.md': 'February: moved office.' },
    expect: { outcome: 'question' },
    turns: [
      {
        says: 'february, and the channel is #team-blue',
        expect: plans(
          [
            gate('chat_post', {
              text: { $has: ['moved office'] },
              conversation: { $has: ['team-blue'] },
            }),
          ],
          { count: 1 },
        ),
      },
    ],
  },
  {
    id: 'ambiguous-no-such-channel',
    request: 'post "Release 4.2 is out" in #general',
    posts: [
      { conversation: 'slack-1f3a', about: 'Plan the release of 4.2' },
      { conversation: 'slack-77b0', about: 'Close T-305' },
    ],
    expect: { outcome: 'question', says: { has: ['general', 'release'] }, atMost: { calls: 2 } },
    turns: [
      {
        says: 'in the release thread',
        expect: plans(
          [gate('chat_post', { text: { $has: ['4.2'] }, conversation: 'slack-1f3a' })],
          { count: 1 },
        ),
      },
    ],
  },
  {
    id: 'ambiguous-cancel-meeting',
    request: 'cancel my meeting with the auditors',
    expect: { outcome: ['cannot', 'answer'], says: { lacks: ['is cancelled', 'was cancelled'] } },
  },
];
