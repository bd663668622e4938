import { expect, it } from 'vitest';
import { parseStoredState } from '#domain/planning/state.ts';

const base = {
  thread_id: 'user_ana:new',
  run_id: 'run-1',
  turn: 1,
  stage: 'NEEDS_CLARIFICATION',
  now: '2026-03-04T10:00:00.000Z',
  timezone: 'Europe/Berlin',
};
const gatePause = { kind: 'gate', resume: 'SEEK_APPROVAL', gate: 'outline', digest: 'abc' };
const rfc = { text: 'Doses depend.', proposes: 'proposed:doses', status: 'open', by: null };

it.each([
  [
    'questions with their ids beside them',
    {
      result: {
        kind: 'question',
        text: 'A? B?',
        questions: ['A?', 'B?'],
        question_ids: ['a', 'b'],
      },
    },
    {
      questions: [
        { id: 'a', text: 'A?' },
        { id: 'b', text: 'B?' },
      ],
    },
  ],
  [
    'questions without ids',
    { result: { kind: 'question', text: 'A?', questions: ['A?'] } },
    { questions: [{ id: 'A?', text: 'A?' }] },
  ],
  [
    'a gate whose digest stands at the pause',
    { result: { kind: 'gate', gate: 'outline', text: 'Look.' }, pause: gatePause },
    { digest: 'abc' },
  ],
  [
    'a pattern whose reason stands beside it',
    { result: { kind: 'rfc', text: 'New.' }, rfc },
    { rfc: 'Doses depend.' },
  ],
])('reads an earlier version’s session with %s', (_, stored, result) => {
  expect(parseStoredState({ ...base, ...stored }).data?.result).toMatchObject(result);
});

it('reads what it stores as it is', () => {
  const questions = [{ id: 'a', text: 'A?' }];
  const { data } = parseStoredState({
    ...base,
    result: { kind: 'question', text: 'A?', questions },
  });
  expect(parseStoredState(data).data).toEqual(data);
  expect(data?.result).toEqual({ kind: 'question', text: 'A?', questions });
});
