// Token costs of requests, with few and many operations.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { Operation } from '#domain/tool.ts';
import { estimateTokens } from '#models/tokens.ts';
import { defineOperation } from '#tools/define-operation.ts';
import { describeOutput } from '#tools/output-schema.ts';
import {
  call,
  drawOutline,
  node,
  propose,
  proposeFiles,
  resultsIn,
  revise,
  selectPattern,
  task,
} from '../../fixtures/model-calls.ts';
import { type ModelInstance, openModelInstance } from '../../fixtures/model-instance.ts';
import type { ChatBody } from '../../fixtures/openai-double.ts';
import { useDatabase } from '../../setup/database.ts';

const database = useDatabase();
// Separate, since any planner on a database may take a run.
const manyDatabase = useDatabase();
const largeDatabase = useDatabase();
let instance: ModelInstance;

const addOperation = (tool: string, operation: string, description: string): Operation => ({
  ...defineOperation({
    tool,
    operation,
    description,
    effect: 'write',
    destructive: false,
    schema: z.strictObject({
      id: z.string().describe('Id of the record.'),
      fields: z.record(z.string(), z.string()).optional().describe('What is to be changed.'),
    }),
    output: describeOutput(z.strictObject({ id: z.string(), version: z.number() })),
    run: async ({ id }) => ({ summary: 'Done.', data: { id, version: 1 } }),
  }),
  source: 'mcp',
});

const others = Array.from({ length: 300 }, (_, index) =>
  index === 217
    ? addOperation(
        'crm',
        'issue_credit_note',
        'Give money back to a customer for an invoice that was paid.',
      )
    : addOperation(
        'crm',
        `update_record_${index}`,
        `Update record type ${index} of the customer system and return the record as it is afterwards.`,
      ),
);

// As servers name theirs.
const byServer = {
  github: `add_issue_comment create_branch create_issue create_or_update_file create_pull_request create_repository fork_repository
    get_file_contents get_issue get_pull_request get_pull_request_diff get_pull_request_files get_pull_request_status list_branches
    list_commits list_issues list_pull_requests merge_pull_request push_files request_copilot_review search_code search_issues
    search_repositories search_users update_issue update_pull_request_branch`,
  jira: `add_comment add_worklog create_issue delete_issue get_issue get_transitions link_issues list_boards list_projects list_sprints
    search_issues transition_issue update_issue`,
  notion: `append_block_children create_comment create_database create_page delete_block query_database retrieve_block
    retrieve_block_children retrieve_comments retrieve_database retrieve_page search update_block update_database
    update_page_properties`,
  mail: `create_draft delete_message forward_message get_attachment get_message list_labels list_messages modify_labels
    reply_to_message search_messages send_draft send_message`,
  crm: `create_company create_contact create_deal create_note get_company get_contact get_deal list_companies list_contacts list_deals
    search_objects update_company update_contact update_deal`,
};
const eighty = Object.entries(byServer)
  .flatMap(([tool, names]) => names.split(/\s+/).map((name) => ({ tool, name })))
  .map(({ tool, name }) =>
    addOperation(tool, name, `${name.replaceAll('_', ' ')} of ${tool} by its id, with its fields.`),
  );

beforeAll(async () => {
  instance = await openModelInstance(database.url, { extraOperations: others.slice(0, 4) });
});
afterAll(() => instance.close());

async function countTokens({ messages, tools = [] }: ChatBody): Promise<number> {
  const parts = [
    ...messages.map((message) => message.content ?? ''),
    ...messages.flatMap((message) =>
      'tool_calls' in message ? [JSON.stringify(message.tool_calls ?? [])] : [],
    ),
    JSON.stringify(tools.map((tool) => tool.function)),
  ];
  let tokens = 4 * messages.length;
  for (const part of parts) tokens += await estimateTokens(part);
  return tokens;
}

// The common prefix's share of `before`.
function sharedWith(before: ChatBody, after: ChatBody): number {
  const [one, other] = [before, after].map((body) =>
    JSON.stringify([body.tools, ...body.messages]).slice(0, -1),
  ) as [string, string];
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length / one.length;
}

const pairsOf = (requests: ChatBody[]) =>
  requests.slice(1).map((after, index) => sharedWith(requests[index] as ChatBody, after));

const charactersOf = (body: ChatBody | undefined) => JSON.stringify(body).length;

test('what every call begins with stays the same: in a turn, in the next one, and where plans are at hand', async () => {
  const conversation = `alike ${instance.requests().length}`;
  const turns: ChatBody[][] = [];
  let of = 'plan';
  const turn = async (text: string, ...replies: Parameters<typeof instance.play>[0][]) => {
    instance.play(replies.flat() as Parameters<typeof instance.play>[0]);
    const run = await instance.ask(text, { conversation: `${of} ${conversation}` });
    turns.push(instance.requests());
    return run.plan_id ?? '';
  };
  const look = { operation: 'workspace_list', args: { path: '.' } };
  const id = await turn('Write a.txt and b.txt', [
    call('read', look),
    proposeFiles(['a.txt', 'b.txt']),
  ]);
  await turn('And c.txt too', [
    call('read', { operation: 'plan_get', args: { plan: id } }),
    call('on_plan', { call: 'plan_again', args: { plan: id } }),
    revise({ id: '1', args: { path: 'c.txt' } }),
  ]);
  await turn('What plans are there?', [
    call('read', { operation: 'plan_list', args: {} }),
    call('answer', { text: 'One.' }),
  ]);
  await turn('Launch it', [
    selectPattern('milestone_project'),
    drawOutline([node('g', 'goal'), task('a')]),
  ]);
  of = 'contract';
  const path = 'contract.md';
  await writeFile(join(instance.workspace, path), 'A clause of the contract.\n'.repeat(2400));
  await turn('When does the contract end?', [
    call('read', { operation: 'workspace_read', args: { path } }),
    call('read', { operation: 'workspace_search', args: { query: 'clause', path } }),
    call('answer', { text: 'It does not say.' }),
  ]);
  expect(turns.map((requests) => requests.length)).toEqual([2, 3, 2, 2, 3]);
  const [, , [, listed] = []] = turns;
  expect(resultsIn(listed ?? { model: '', messages: [] })[0]).toMatch(/2 steps, cost \$0\.00\d+: /);
  expect(JSON.stringify(listed)).toMatch(/Their requests have cost \$0\.00\d+ today\./);
  const keys = turns.map((requests) => new Set(requests.map((body) => body.prompt_cache_key)));
  expect(keys[0]?.size).toBe(1);
  expect(keys[1]).toEqual(keys[0]);
  expect(keys[4]).not.toEqual(keys[0]);
  const within = turns.flatMap(pairsOf);
  expect(Math.min(...within)).toBeGreaterThanOrEqual(0.9);
  const firsts = turns.flatMap((requests) => requests.slice(0, 1));
  expect(Math.min(...pairsOf(firsts))).toBeGreaterThanOrEqual(0.6);
  const lengths = turns.map((requests) => requests.map(charactersOf));
  expect(lengths[0]?.[0]).toBeLessThanOrEqual(16_000);
  expect(Math.max(...lengths.flat())).toBeLessThanOrEqual(24_000);
});

test.each([
  ['ten operations are told in full', 10, 'github_create_issue(id'],
  ['twenty operations are named', 20, 'get_{'],
  ['eighty operations are named', 80, '{company,contact,deal}'],
])('%s in a first call of at most 16,000 characters', async (_, count, told) => {
  const extraOperations = eighty.slice(0, count);
  expect(extraOperations).toHaveLength(count);
  const many = await openModelInstance(manyDatabase.url, { extraOperations });
  try {
    many.play([proposeFiles(['a.txt'])]);
    await many.ask('Create an issue about the slow export, and mail Kim its link');
    const text = JSON.stringify(many.requests()[0]);
    expect(text).toContain(told);
    // Lines in full for each of its two needs.
    const servers = count === 80 ? ['github', 'mail'] : ['github'];
    for (const server of servers) expect(text).toContain(`\\n- ${server}_`);
    expect(text.length).toBeLessThanOrEqual(16_000);
  } finally {
    await many.close();
  }
});

test('a plain request in a full workspace is one call of at most 4,000 tokens', async () => {
  await mkdir(instance.workspace, { recursive: true });
  for (let n = 1; n <= 40; n++)
    await writeFile(join(instance.workspace, `minutes-of-the-meeting-${n}.md`), 'x');
  instance.play([proposeFiles(['a.txt'])]);
  const run = await instance.ask('Write a.txt');
  expect(run.plan_id).toBeDefined();
  const [request, ...more] = instance.requests();
  expect(more).toEqual([]);
  expect(request === undefined ? 0 : await countTokens(request)).toBeLessThanOrEqual(4000);
});

test('with three hundred operations connected a call stays under 7,000, and what nothing lists is found by its purpose', async () => {
  const large = await openModelInstance(largeDatabase.url, { extraOperations: others });
  try {
    large.play([
      call('search_operations', { query: 'refund a paid invoice to the customer' }),
      propose({
        title: 'Refund invoice 12',
        steps: [
          {
            id: '1',
            description: 'Refund invoice 12',
            operation: 'crm_issue_credit_note',
            args: { id: '12' },
          },
        ],
        confidence: 0.9,
      }),
    ]);
    const run = await large.ask('Kunde Meier soll sein Geld für Rechnung 12 zurückbekommen');
    expect(run.plan_id).toBeDefined();
    const [first, second] = large.requests();
    if (first === undefined || second === undefined) throw new Error('two calls');
    expect(JSON.stringify(first)).not.toContain('crm_issue_credit_note');
    expect(JSON.stringify(first)).toContain('- workspace_write(');
    expect(resultsIn(second).join()).toContain('crm_issue_credit_note(id;');
    for (const request of [first, second]) expect(await countTokens(request)).toBeLessThan(7000);
  } finally {
    await large.close();
  }
});

test('a change of one step of three hundred sends and returns little, and leaves the others as they were', async () => {
  const paths = Array.from({ length: 300 }, (_, index) => `notes/${index + 1}.txt`);
  instance.play([proposeFiles(paths), revise({ id: '217', args: { content: 'last' } })]);
  const run = await instance.ask('Write three hundred notes', { conversation: 'long' });
  const before = await instance.service.listSteps(run.plan_id ?? '', { limit: 300 });
  await instance.reply(run.run_id, 'propose changes: notes/217.txt should say last');
  const [, revised] = instance.requests();
  if (revised === undefined) throw new Error('two calls');
  const draft = revised.messages.find(({ content }) =>
    content?.includes('<untrusted source="draft">'),
  );
  expect(await estimateTokens(draft?.content ?? '')).toBeLessThan(3000);
  expect(draft?.content).toContain('notes/217.txt');
  const after = await instance.service.listSteps(run.plan_id ?? '', { limit: 300 });
  const contentOf = ({ steps }: typeof before) =>
    steps.map(({ id, description, args, after: waits }) =>
      JSON.stringify({ id, description, args, waits }),
    );
  const [was, is] = [contentOf(before), contentOf(after)];
  expect(is.filter((step, index) => step !== was[index])).toEqual([
    expect.stringContaining('"content":"last"'),
  ]);
});
