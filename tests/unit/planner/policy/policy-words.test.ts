import { describe, expect, it } from 'vitest';
import type { PolicyOverride } from '#domain/people/policy.ts';
import { defaultPolicy } from '#domain/people/policy.ts';
import { parsePolicyRequest } from '#planner/policy/policy-words.ts';

const brief: PolicyOverride = { conversation_style: 'concise', talkativeness: 0.2 };
const coach: PolicyOverride = { conversation_style: 'coach', talkativeness: 0.8 };
const quietly: PolicyOverride = { probing_depth: 0 };

describe('words about style', () => {
  it.each<[string, PolicyOverride]>([
    ['be brief today', brief],
    ['Please be brief.', brief],
    ['Short answers please', brief],
    ['more detail please', { conversation_style: 'standard', talkativeness: 0.9 }],
    ['be more conversational', { conversation_style: 'conversational', talkativeness: 0.8 }],
    ['Walk me through it', coach],
    ['back to normal', { conversation_style: 'standard', talkativeness: 0.5, tone: 'neutral' }],
    ['reset my settings', defaultPolicy],
    ['ask me nothing', quietly],
    ['Don’t ask me anything!', quietly],
    ['at most two questions', { probing_depth: 2 }],
    ['ask me first', { autonomy: 'low', probing_depth: 3 }],
    ['just do it', { autonomy: 'high', probing_depth: 0 }],
    ['give me options', { brainstorming_preference: 'always_offer' }],
    ['no suggestions', { brainstorming_preference: 'on_demand' }],
    ['check with me before every step', { approval_policy: 'strict_every_step' }],
    ['show me the outline first', { approval_policy: 'milestone_approvals' }],
    ['only ask me once at the end', { approval_policy: 'single_final' }],
    ['just the facts', { tone: 'clinical' }],
    ['be brief and friendlier', { ...brief, tone: 'friendly' }],
    ['be brief, friendlier, and ask me nothing', { ...brief, tone: 'friendly', ...quietly }],
  ])('“%s” sets %j and asks for nothing', (text, override) => {
    expect(parsePolicyRequest(text)).toMatchObject({ override, rest: '', lasting: false });
  });

  it.each([
    'write a brief note',
    'Create notes/brief.md saying be brief',
    'Create a.txt saying: be brief. Be kind.',
    'Write a summary and keep it short',
    'Write a report. More detail please.',
    'Post "just do it" here',
    'Post Good morning. Ask me nothing.',
    'be friendlier to her',
    'no',
    'you decide the date',
    'options',
    'Remind me to be friendlier',
    'Ask Ana nothing about the budget',
    'walk me through creating a file',
    'give me options for a name',
    'approve',
    'tell Ana to check with me at every step',
    'be brief. Be more conversational.',
    '',
    'Translate “be brief today” into German',
  ])('“%s” is a task or talk, and changes no slider', (text) => {
    expect(parsePolicyRequest(text)).toBeNull();
  });

  it.each<[string, PolicyOverride, string]>([
    ['Be brief: what is in the workspace?', brief, 'what is in the workspace?'],
    ['be brief and create a.txt saying hi', brief, 'create a.txt saying hi'],
    ['Ask me nothing, create a.txt saying “hi’”', quietly, 'create a.txt saying “hi’”'],
    ['From now on, be brief. List the workspace.', brief, 'List the workspace.'],
  ])('“%s” sets it and leaves the request', (text, override, rest) => {
    expect(parsePolicyRequest(text)).toMatchObject({ override, rest });
  });

  it.each([
    ['always be brief', true],
    ['from now on ask me nothing', true],
    ['In future, give me options.', true],
    ['be brief from now on', true],
    ['be brief today', false],
    ['be brief for this conversation', false],
    ['be brief', false],
  ])('“%s” holds for good: %s', (text, lasting) => {
    expect(parsePolicyRequest(text)?.lasting).toBe(lasting);
  });

  it('says in one sentence what is different now', () => {
    expect(parsePolicyRequest('be brief today')?.confirmation).toBe(
      'In this conversation I keep it brief.',
    );
    expect(parsePolicyRequest('always be brief and friendlier')?.confirmation).toBe(
      'From now on I keep it brief and use a friendlier tone.',
    );
  });

  it('knows which words answer an open question as well', () => {
    expect(parsePolicyRequest('you decide')?.settlesQuestions).toBe(true);
    expect(parsePolicyRequest('ask me nothing')?.settlesQuestions).toBe(true);
    expect(parsePolicyRequest('be brief')?.settlesQuestions).toBe(false);
  });

  it('is quick on very long texts', () => {
    const began = process.cpuUsage().user;
    expect(
      parsePolicyRequest(`Create a.txt saying ${'be very brief and '.repeat(6000)}`),
    ).toBeNull();
    expect(parsePolicyRequest('please '.repeat(10_000))).toBeNull();
    expect(parsePolicyRequest('be brief, '.repeat(30_000))).toBeNull();
    expect(process.cpuUsage().user - began).toBeLessThan(3_000_000);
  });
});

describe('the answer to the question of style', () => {
  it.each([
    ['concise', 'concise'],
    ['Short answers, please.', 'concise'],
    ['More explanation', 'conversational'],
    ["I don't care", 'standard'],
  ])('“%s” is %s, for good', (answer, style) => {
    const policyRequest = parsePolicyRequest(answer, true);
    expect(policyRequest).toMatchObject({ override: { conversation_style: style }, lasting: true });
  });

  it('may be one line of several', () => {
    expect(parsePolicyRequest('1. hello\n2. concise', true)).toMatchObject({
      confirmation: 'From now on I keep it brief.',
      rest: '1. hello',
    });
  });

  it.each(['create a.txt', 'a concise note', '3', ''])('“%s” is none', (answer) => {
    expect(parsePolicyRequest(answer, true)).toBeNull();
  });
});
