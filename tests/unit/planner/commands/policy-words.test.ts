import { describe, expect, it } from 'vitest';
import type { PolicyOverride } from '#domain/people/policy.ts';
import { defaultPolicy } from '#domain/people/policy.ts';
import { readPolicyWish, readStyleAnswer, readStyleReply } from '#planner/commands/policy-words.ts';

const brief: PolicyOverride = { conversation_style: 'concise', talkativeness: 0.2 };
const detailed: PolicyOverride = { conversation_style: 'standard', talkativeness: 0.9 };
const coach: PolicyOverride = { conversation_style: 'coach', talkativeness: 0.8 };
const quietly: PolicyOverride = { probing_depth: 0 };
const alone: PolicyOverride = { autonomy: 'high', probing_depth: 0 };
const options: PolicyOverride = { brainstorming_preference: 'always_offer' };
const strict: PolicyOverride = { approval_policy: 'strict_every_step' };
const once: PolicyOverride = { approval_policy: 'single_final' };
const milestones: PolicyOverride = { approval_policy: 'milestone_approvals' };

describe('words about style', () => {
  it.each<[string, PolicyOverride]>([
    ['be brief today', brief],
    ['Please be brief.', brief],
    ['keep it short', brief],
    ['Short answers please', brief],
    ["Don't be so chatty!", brief],
    ['could you be a bit more concise', brief],
    ['less talk', brief],
    ['more detail please', detailed],
    ['give me more details', detailed],
    ['be more thorough', detailed],
    ['you’re too terse', detailed],
    ['be more conversational', { conversation_style: 'conversational', talkativeness: 0.8 }],
    ['walk me through it', coach],
    ['Walk me through the plan step by step', coach],
    ['coach me', coach],
    ['explain what you are doing', coach],
    ['back to normal', { conversation_style: 'standard', talkativeness: 0.5, tone: 'neutral' }],
    ['reset my settings', defaultPolicy],
    ['ask me nothing', quietly],
    ['no questions', quietly],
    ["don't ask me anything", quietly],
    ['without asking', quietly],
    ['fewer questions please', { probing_depth: 1 }],
    ['at most two questions', { probing_depth: 2 }],
    ['ask me 3 questions at most', { probing_depth: 3 }],
    ['ask me everything you need', { probing_depth: 3 }],
    ['ask when you are unsure', { probing_depth: 3 }],
    ["don't assume anything", { autonomy: 'low', probing_depth: 3 }],
    ['ask me first', { autonomy: 'low', probing_depth: 3 }],
    ['just do it', alone],
    ['you decide', alone],
    ['use your own judgment', alone],
    ['whatever you think is best', alone],
    ['give me options', options],
    ['show me some alternatives first', options],
    ['let me choose', options],
    ['no suggestions', { brainstorming_preference: 'on_demand' }],
    ['offer options when you are unsure', { brainstorming_preference: 'suggest_when_uncertain' }],
    ['check with me at every step', strict],
    ['let me approve each step before it runs', strict],
    ['show me the outline first', milestones],
    ['check in with me at each milestone', milestones],
    ['approve once at the end', once],
    ['only ask me once at the end', once],
    ['friendlier', { tone: 'friendly' }],
    ['be a bit friendlier please', { tone: 'friendly' }],
    ['stick to facts', { tone: 'clinical' }],
    ['just the facts', { tone: 'clinical' }],
    ['neutral tone', { tone: 'neutral' }],
    ['be brief and friendly', { ...brief, tone: 'friendly' }],
    ['be brief, friendlier, and ask me nothing', { ...brief, tone: 'friendly', ...quietly }],
  ])('“%s” sets %j and asks for nothing', (text, override) => {
    expect(readPolicyWish(text)).toMatchObject({ override, rest: '', lasting: false });
  });

  it.each([
    'write a brief note',
    'Create notes/brief.md saying be brief',
    'Create a.txt saying: be brief. Be kind.',
    'Write a summary and keep it short',
    'Write a report. More detail please.',
    'Post "just do it" here',
    'Write a letter to Ana. Be friendly.',
    'Post Good morning. Ask me nothing.',
    'no',
    'you decide the date',
    'options',
    'Remind me to be friendlier',
    'Create a.txt with the text ask me nothing',
    'Ask Ana nothing about the budget',
    "don't ask Ben to review it",
    'walk me through creating a file',
    'give me options for a name',
    'What are my options?',
    'approve',
    'approve all but 4',
    'check the facts in a.txt',
    'add a step by step guide to notes.md',
    'delete the short answers',
    'tell Ana to check with me at every step',
    'make the title shorter',
    'move normal.md to archive/',
    'yes',
    'do the first step',
    'cancel',
    '',
    'Translate “be brief today” into German',
  ])('“%s” is a task or talk, and changes no slider', (text) => {
    expect(readPolicyWish(text)).toBeNull();
  });

  it.each<[string, PolicyOverride, string]>([
    ['Be brief: what is in the workspace?', brief, 'what is in the workspace?'],
    ['be brief and create a.txt saying hi', brief, 'create a.txt saying hi'],
    ['Ask me nothing, create a.txt saying hi', quietly, 'create a.txt saying hi'],
    ['From now on, be brief. List the workspace.', brief, 'List the workspace.'],
    ['Move a.txt to b/ and walk me through it', coach, 'Move a.txt to b/'],
    ['Move a.txt to b/, no questions.', quietly, 'Move a.txt to b/'],
    ['Create a.txt saying "hi". Ask me nothing.', quietly, 'Create a.txt saying "hi".'],
    ['Plan an offsite and give me options', options, 'Plan an offsite'],
    ['Write three notes. No questions.', quietly, 'Write three notes.'],
    ['Archive inbox/. Be friendlier.', { tone: 'friendly' }, 'Archive inbox/.'],
    ['Archive inbox/. Check with me at every step.', strict, 'Archive inbox/.'],
  ])('“%s” sets it and leaves the request', (text, override, rest) => {
    expect(readPolicyWish(text)).toMatchObject({ override, rest });
  });

  it.each([
    ['always be brief', true],
    ['from now on ask me nothing', true],
    ['Never ask me anything', true],
    ['In future, give me options.', true],
    ['be brief from now on', true],
    ['be brief today', false],
    ['be brief for this conversation', false],
    ['be brief', false],
  ])('“%s” holds for good: %s', (text, lasting) => {
    expect(readPolicyWish(text)?.lasting).toBe(lasting);
  });

  it('says in one sentence what is different now', () => {
    expect(readPolicyWish('be brief today')?.confirmation).toBe(
      'In this conversation I keep it brief.',
    );
    expect(readPolicyWish('always be brief and friendly')?.confirmation).toBe(
      'From now on I keep it brief and use a friendlier tone.',
    );
    expect(readPolicyWish('just do it')?.confirmation).toBe(
      'In this conversation I decide what is left open, and note it; a plan still waits for your approval.',
    );
  });

  it('lets the later of two words win, and does not say the earlier', () => {
    const words = readPolicyWish('be brief. Be more conversational.');
    expect(words?.override).toEqual({ conversation_style: 'conversational', talkativeness: 0.8 });
    expect(words?.confirmation).toBe('In this conversation I talk more freely.');
  });

  it('knows which words answer an open question as well', () => {
    expect(readPolicyWish('you decide')?.settlesQuestions).toBe(true);
    expect(readPolicyWish('ask me nothing')?.settlesQuestions).toBe(true);
    expect(readPolicyWish('be brief')?.settlesQuestions).toBe(false);
  });

  it('is quick on very long texts', () => {
    const began = process.cpuUsage().user;
    expect(readPolicyWish(`Create a.txt saying ${'be very brief and '.repeat(6000)}`)).toBeNull();
    expect(readPolicyWish('please '.repeat(10_000))).toBeNull();
    expect(readPolicyWish('a, '.repeat(30_000))).toBeNull();
    expect(process.cpuUsage().user - began).toBeLessThan(3_000_000);
  });
});

describe('the answer to the question of style', () => {
  it('is kept for good, and confirmed', () => {
    expect(readStyleReply('Conversational please')).toMatchObject({
      lasting: true,
      override: { conversation_style: 'conversational' },
      confirmation: 'From now on I talk more freely.',
    });
    expect(readStyleReply('create a.txt')).toBeNull();
  });

  it.each([
    ['concise', 'concise'],
    ['Concise, please.', 'concise'],
    ['the first', 'concise'],
    ['1', 'concise'],
    ['I’d prefer conversational', 'conversational'],
    ['2', 'conversational'],
    ["I don't care", 'standard'],
  ])('“%s” is %s', (answer, style) => {
    expect(readStyleAnswer(answer)?.conversation_style).toBe(style);
  });
  it.each(['create a.txt', 'a concise note', '3', ''])('“%s” is none', (answer) => {
    expect(readStyleAnswer(answer)).toBeNull();
  });
});
