// Every route, verb and page of the product's own lists: its empty state in a fresh instance, and its error.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { sections, tabs } from '#adapters/console/page/live/state.ts';
import { program } from '#app/commands.ts';
import { draftStep } from '../fixtures/steps.ts';
import { openContext } from '../setup/chromium.ts';
import { useDatabase } from '../setup/database.ts';
import { type Options, usePrograms } from '../setup/process.ts';
import { useServedInstance } from '../setup/use-instance.ts';

const instance = useServedInstance();
const programs = usePrograms();

describe('every route', () => {
  /** `is`: part of the answer, or its media type; `code`: of a problem. */
  type Call = { path?: string; query?: string; body?: unknown; media?: string } & (
    | { status: 200; is: object | string }
    | { status: number; code: string }
    | { status: number; says: RegExp }
  );
  type Ask = Pick<Call, 'path' | 'query' | 'body'>;
  /** Null if a call would create something. */
  type Case = [empty: Call | null, error: Call];

  const badQuery: Call = { query: 'nope=1', status: 400, code: 'invalid_request' };
  const badBody: Call = { body: { nope: 1 }, status: 400, code: 'invalid_request' };
  const shows = (is: object | string, error: Call = badQuery): Case => [{ status: 200, is }, error];
  const lacks = (code: string, ask: Ask = {}, error = 'body' in ask ? badBody : badQuery): Case => [
    { ...ask, status: code === 'unknown_operation' ? 422 : 404, code },
    error,
  ];
  const creates: Case = [null, badBody];
  const noPlan = (ask?: Ask) => lacks('plan_not_found', ask);
  const noRun = (ask?: Ask) => lacks('run_not_found', ask);
  const decision = { body: { version: 1, digest: 'x' } };
  const unwell: Call = { path: '/nope', status: 404, code: 'not_found' };

  const cases: Record<string, Case> = {
    'POST /api/callbacks/:token': lacks('not_found', { body: { data: {}, summary: 'x' } }),
    'GET /api/commands': shows({ commands: expect.anything() }),
    'GET /api/conversations': shows({ conversations: [] }),
    'GET /api/conversations/:id/messages': shows({ messages: [] }),
    'POST /api/conversations/:id/messages': creates,
    'GET /api/conversations/:id/events': shows('text/event-stream'),
    'POST /api/run': creates,
    'GET /api/runs/:id': noRun(),
    'GET /api/runs/:id/trace': noRun(),
    'POST /api/runs/:id/reply': noRun({ body: { text: 'x' } }),
    'POST /api/runs/:id/reject': noRun({ body: { digest: 'x' } }),
    'POST /api/runs/:id/stop': noRun({ body: {} }),
    'POST /api/runs/:id/approve': noRun({ body: { digest: 'x' } }),
    'POST /api/runs/:id/propose-changes': noRun({ body: { digest: 'x', feedback: 'x' } }),
    'GET /api/runs/:id/card': noRun(),
    'GET /api/recurring': shows({ recurring: [] }),
    'POST /api/recurring': lacks('not_found', { body: { id: 'x', change: { action: 'skip' } } }),
    'POST /api/plans': creates,
    'GET /api/plans': shows({ plans: [], next_cursor: null }),
    'POST /api/plans/import': [
      { body: 'no plan', media: 'text/markdown', status: 400, code: 'invalid_request' },
      { ...badBody, status: 415, code: 'unsupported_media_type' },
    ],
    'POST /api/plans/preview': [
      { body: { title: 'x', steps: [] }, status: 422, code: 'empty_plan' },
      badBody,
    ],
    'GET /api/plans/:id': noPlan(),
    'GET /api/plans/:id/overview': noPlan(),
    'GET /api/plans/:id/diff': noPlan(),
    'GET /api/plans/:id/steps': noPlan(),
    'GET /api/plans/:id/steps/:step/chain': noPlan(),
    'POST /api/plans/:id/simulate': noPlan({ body: {} }),
    'GET /api/plans/:id/schedule.ics': noPlan(),
    'GET /api/plans/:id/partitions': noPlan(),
    'POST /api/plans/:id/patches': noPlan({
      body: { base_revision: 1, operations: [{ op: 'remove_steps', steps: { ids: ['x'] } }] },
    }),
    'GET /api/plans/:id/patches': noPlan(),
    'POST /api/plans/:id/pause': noPlan({ body: { version: 1 } }),
    'GET /api/plans/:id/previews': noPlan({ query: 'ids=1' }),
    'POST /api/plans/:id/propose-changes': noPlan({ body: { version: 1, feedback: 'x' } }),
    'GET /api/plans/:id/plan.md': noPlan(),
    'GET /api/plans/:id/planning': noPlan(),
    'GET /api/plans/:id/matches': noPlan({ query: 'words=x' }),
    'POST /api/plans/:id/mark-failed': noPlan({ body: { version: 1 } }),
    'GET /api/plans/:id/groups': noPlan(),
    'GET /api/plans/:id/forecast': noPlan(),
    'GET /api/plans/:id/findings': noPlan(),
    'POST /api/plans/:id/findings': noPlan({
      body: { severity: 'INFO', category: 'reported', message: 'x' },
    }),
    'POST /api/plans/:id/findings/:finding': noPlan({ body: { action: 'dismiss' } }),
    'GET /api/plans/:id/artifacts': noPlan(),
    'GET /api/plans/:id/artifacts/:artifact': noPlan(),
    'POST /api/plans/:id/approve': noPlan(decision),
    'GET /api/plans/:id/audit': noPlan(),
    'GET /api/plans/:id/requests': noPlan(),
    'POST /api/plans/:id/reject': noPlan({ body: { version: 1 } }),
    'POST /api/plans/:id/retry': noPlan({ body: { version: 1 } }),
    'POST /api/plans/:id/resume': noPlan({ body: { version: 1 } }),
    'POST /api/plans/:id/cancel': noPlan({ body: { version: 1 } }),
    'GET /api/plans/:id/card': noPlan(),
    'GET /api/plans/:id/log.jsonl': noPlan(),
    'GET /api/plans/:id/trace': noPlan(),
    'GET /api/plans/:id/versions/:a..:b': noPlan({ path: '/api/plans/x/versions/1..2' }),
    'GET /api/plans/:id/events': noPlan(),
    'GET /api/playbooks': shows({ playbooks: expect.anything() }),
    'POST /api/playbooks': noPlan({ body: { plan_id: 'x', name: 'x' } }),
    'GET /api/playbooks/:name': lacks('not_found'),
    'DELETE /api/playbooks/:name': lacks('not_found'),
    'POST /api/playbooks/:name/run': lacks('not_found', { body: {} }),
    'POST /api/press': noPlan({
      body: { button: { action: 'approve', plan_id: 'x', ...decision.body } },
    }),
    'GET /api/policy/:user': shows({ set: {}, calendar: null }),
    'PUT /api/policy/:user': [{ body: {}, status: 200, is: { set: {} } }, badBody],
    'GET /api/inbox': shows({ groups: Array(5).fill({ total: 0, plans: [] }) }),
    'GET /api/inbox/events': shows('text/event-stream'),
    'GET /api/stats': shows({ plans: {}, gaps: [] }),
    'GET /api/sign-in': shows({ providers: [] }, unwell),
    'POST /api/sign-out': [null, badBody],
    'GET /api/settings': shows({ tools: expect.anything() }),
    'POST /api/settings/check': [
      { body: { part: 'tool', tool: 'x' }, status: 200, is: { results: [{}] } },
      badBody,
    ],
    'PUT /api/settings/model': [{ body: {}, status: 400, code: 'invalid_request' }, badBody],
    'DELETE /api/settings/model': shows({ disconnected: false }),
    'POST /api/settings/tools/:server/sign-in': lacks('not_found', {}),
    'DELETE /api/settings/tools/:server/sign-in': lacks('not_found', {}),
    'GET /api/operations': shows({ operations: expect.anything() }),
    'GET /api/operations/:name': lacks('unknown_operation'),
    'GET /api/operations/:name/values': lacks('unknown_operation', { query: 'field=x' }),
    'GET /api/me': shows({ by: 'local' }),
    'GET /api/memory/:user': shows({ entries: [] }),
    'POST /api/memory/:user': creates,
    'PUT /api/memory/:user/:id': lacks('not_found', {
      path: '/api/memory/x/7',
      body: { text: 'x' },
    }),
    'DELETE /api/memory/:user/:id': lacks('not_found', { path: '/api/memory/x/7' }),
    'GET /api/link': shows({ accounts: [] }),
    'POST /api/link': creates,
    'DELETE /api/link': shows({ accounts: [] }),
    'GET /api/tokens': shows({ tokens: [] }),
    'POST /api/tokens': creates,
    'DELETE /api/tokens/:id': lacks('not_found'),
    'GET /sign-in/:provider': lacks('not_found', {}, unwell),
    'GET /sign-in/:provider/callback': lacks('not_found', {}, unwell),
    'GET /oauth/mcp/callback': lacks('not_found', {}, unwell),
    'GET /oauth/mcp/client.json': shows({ client_name: 'Countersign' }, unwell),
    'GET /openapi.json': shows({ openapi: '3.1.0' }, unwell),
    'GET /healthz': shows({ status: 'ok' }, unwell),
    'GET /readyz': shows({ ready: true }, unwell),
    'GET /metrics': shows('text/plain', unwell),
    'GET /mcp': [null, { status: 405, says: /jsonrpc.*not allowed/ }],
    'POST /mcp': [null, { body: '{', status: 400, code: 'invalid_json' }],
    'DELETE /mcp': [null, { status: 405, says: /jsonrpc.*not allowed/ }],
    'GET /': shows('text/html', unwell),
    'GET /docs': shows('text/html', unwell),
    'GET /docs/reference': shows('text/html', unwell),
    'GET /docs/search': [
      { status: 200, says: /./ },
      { query: 'q=nothingatall', status: 200, says: /Nothing matches/ },
    ],
    'GET /docs*': [
      { path: '/docs/slack', status: 200, is: 'text/html' },
      { path: '/docs/nope', status: 404, says: /./ },
    ],
  };

  /** Fastify's tree of routes, without HEAD and the files of pages. */
  function listRoutes(): string[] {
    const parts: string[] = [];
    return instance.app
      .printRoutes({ commonPrefix: false })
      .split('\n')
      .flatMap((line) => {
        const [, indent = '', part = '', methods = ''] =
          /^([│ ]*)[├└]── (\S+)(?: \(([^)]+)\))?$/.exec(line) ?? [];
        parts.splice(indent.length / 4, parts.length, part);
        const path = parts
          .join('')
          .replace(/^\/\//, '/')
          .replace(/^\/(.*)/, '/$1');
        const isFile = path.startsWith('/console/') || /\.(?:css|js)$/.test(path);
        return isFile
          ? []
          : methods
              .split(', ')
              .filter((m) => !['', 'HEAD'].includes(m))
              .map((m) => `${m} ${path}`);
      });
  }

  async function ask(route: string, call: Call) {
    const [method = '', template = ''] = route.split(' ');
    const { query, body, media = 'application/json' } = call;
    const path = call.path ?? template.replaceAll(/:\w+/g, 'x');
    const closing = new AbortController();
    const response = await fetch(
      `${instance.api.url}${path}${query === undefined ? '' : `?${query}`}`,
      {
        method,
        signal: closing.signal,
        redirect: 'manual',
        ...(body === undefined
          ? {}
          : {
              headers: { 'content-type': media },
              body: typeof body === 'string' ? body : JSON.stringify(body),
            }),
      },
    );
    const type = response.headers.get('content-type')?.split(';')[0] ?? '';
    const text = type === 'text/event-stream' ? '' : await response.text();
    closing.abort();
    return { status: response.status, type, text };
  }

  it('has a case', () => {
    expect(Object.keys(cases).sort()).toEqual(listRoutes().sort());
  });

  it.each(Object.entries(cases))('%s', async (route, calls) => {
    for (const call of calls) {
      if (call === null) continue;
      const { status, type, text } = await ask(route, call);
      expect(status).toBe(call.status);
      if ('says' in call) expect(text).toMatch(call.says);
      else if ('code' in call) {
        expect(type).toBe('application/problem+json');
        const problem = JSON.parse(text);
        expect(problem).toMatchObject({ code: call.code, status, title: expect.any(String) });
        // Either a member is named, or a second sentence says what to do.
        if (problem.errors === undefined)
          expect(problem.detail).toMatch(/\w[”)]?[.;:] \S.*[.…)]$|Enter|Send/s);
      } else if (typeof call.is === 'string') expect(type).toBe(call.is);
      else expect(JSON.parse(text)).toMatchObject(call.is);
    }
  });
});

describe('every verb', () => {
  type Run = { args?: string; code: number; says: RegExp; env?: Record<string, string> };
  /** `serves`: it starts. Null: the verb has nothing to find empty. */
  type Case = [empty: Run | 'serves' | null, error: Run];
  const database = useDatabase();
  let options: Options;
  let backup: string;
  beforeAll(async () => {
    options = { home: await programs.home(), database: database.url };
    backup = join(options.home, 'backup');
    await writeFile(join(options.home, 'text'), 'no export');
  });

  const done = (says: RegExp, args?: string): Run => ({ code: 0, says, args: args ?? '' });
  const fails = (says: RegExp, args: string): Run => ({ code: 1, says, args });
  const misused = (says: RegExp, args = ''): Run => ({ code: 2, says, args });
  const surplus = misused(/too many arguments/, 'surplus');
  const noPort: Run = { code: 1, says: /PORT/, env: { PORT: 'none' } };
  const noPlan = fails(/no plan PLAN-0\. Check/, 'PLAN-0');
  const noSignIn = fails(/nothing to sign in to\. See/, 'nope');
  const noEndpoint = misused(/no endpoint nope\. \S/, 'nope');

  const cases: Record<string, Case> = {
    start: ['serves', noPort],
    gateway: ['serves', noPort],
    worker: ['serves', { ...noPort, env: { HEALTH_PORT: 'none' }, says: /HEALTH_PORT/ }],
    migrate: [done(/up to date/), surplus],
    backup: [done(/0 rows of/, 'BACKUP'), fails(/ENOENT/, '/nope/backup')],
    restore: [done(/Restored 0 rows/, 'BACKUP'), fails(/no file/, '/nope/backup')],
    export: [done(/"kind":"header"/, '--all'), noPlan],
    import: [misused(/cannot be imported/, 'TEXT'), fails(/no file/, '/nope/export')],
    'audit verify': [done(/0 rows in 0 seals/), surplus],
    'audit export': [done(/^$/), misused(/whole number/, '--from x')],
    retention: [done(/Nothing had to be deleted/), surplus],
    ask: [{ code: 5, says: /I can't read/, args: 'frobnicate' }, misused(/missing required/)],
    build: [misused(/interactive terminal/), surplus],
    plans: [done(/Nothing is waiting/), noPlan],
    findings: [noPlan, misused(/missing required/)],
    'policy show': [done(/autonomy/), misused(/does not take “nope”/, 'nope')],
    'policy set': [misused(/Pass NAME=VALUE/), misused(/Unknown setting/, 'nope=1')],
    'policy reset': [done(/autonomy/), misused(/does not take “tone”/, 'tone')],
    'memory list': [done(/Nothing yet/), misused(/does not take “nope”/, 'nope')],
    'memory keep': [null, misused(/Pass the text/)],
    'memory forget': [fails(/no entry 7/, '7'), misused(/Pass the entry number/)],
    'playbook list': [done(/by Countersign/), misused(/does not take “nope”/, 'nope')],
    'playbook show': [fails(/no playbook nope/, 'nope'), misused(/Pass a playbook name/)],
    'playbook save': [fails(/no plan PLAN-0/, 'PLAN-0 name'), misused(/Give the plan/)],
    'playbook run': [fails(/no playbook nope/, 'nope'), misused(/is no value/, 'nope yy')],
    'playbook remove': [fails(/no playbook nope/, 'nope'), misused(/Pass a playbook name/)],
    'reminders list': [done(/no reminders/), misused(/does not take “nope”/, 'nope')],
    'reminders skip': [fails(/“nope”/, 'nope'), misused(/Pass a reminder ID/)],
    'reminders change': [fails(/“nope”/, 'nope --text x'), misused(/Say what changes/, 'nope')],
    'reminders end': [fails(/“nope”/, 'nope --yes'), misused(/add --yes/, 'nope')],
    link: [null, fails(/Get a new one/, 'NOPE')],
    'token create': [null, misused(/required option '--name/)],
    'token list': [done(/no tokens/), surplus],
    'token revoke': [fails(/no token nope\. \S/, 'nope'), misused(/missing required/)],
    'mcp list': [done(/No MCP servers/), surplus],
    'mcp login': [noSignIn, misused(/missing required/)],
    'mcp logout': [noSignIn, misused(/missing required/)],
    doctor: [done(/✓ Database/), surplus],
    health: [fails(/does not answer/, ''), fails(/HEALTH_PORT/, '--worker')],
    'inbox list': [done(/No chat events/), surplus],
    'inbox retry': [done(/No chat events/, '--all'), misused(/Pass event IDs/)],
    'webhooks list': [done(/None\. Add/), surplus],
    'webhooks test': [done(/No webhooks/), noEndpoint],
    'webhooks retry': [done(/No event is pending/), noEndpoint],
    bench: [null, misused(/Allowed choices/, 'nope')],
  };

  function listVerbs({ commands, registeredArguments: [first] }: Command, name = ''): string[] {
    const under = commands.flatMap((one) => listVerbs(one, `${name} ${one.name()}`));
    if (under.length > 0) return under;
    const choices = first?.name() === 'verb' ? (first.argChoices ?? []) : [];
    return (choices.length === 0 ? [name] : choices.map((one) => `${name} ${one}`)).map((one) =>
      one.trim(),
    );
  }

  it('has a case', () => {
    expect(Object.keys(cases).sort()).toEqual(listVerbs(program).sort());
  });

  it.each(Object.entries(cases))('%s', async (verb, runs) => {
    for (const run of runs) {
      if (run === null) continue;
      if (run === 'serves') {
        const program = await (verb === 'worker'
          ? programs.work(options)
          : programs.serve({ ...options, verb: verb as 'start' | 'gateway' }));
        expect((await program.stop()).code).toBe(0);
        continue;
      }
      const words = (run.args ?? '').split(' ').filter((word) => word !== '');
      const named = { BACKUP: backup, TEXT: join(options.home, 'text') };
      const args = words.map((word) => named[word as keyof typeof named] ?? word);
      const ended = await programs.finish([...verb.split(' '), ...args], {
        ...options,
        env: run.env ?? {},
      });
      const said = (ended.stdout + ended.stderr).replaceAll(/\s+/g, ' ').trim();
      expect([said, ended.code]).toEqual([expect.stringMatching(run.says), run.code]);
      expect(said).not.toMatch(/\bat \S+ \(|node:|\bundefined\b|\[object/);
    }
  });
});

describe('every page', () => {
  const trouble = 'The database does not answer. Try again in a minute.';
  const step = draftStep('1', 'Wait', 'control_wait', { seconds: 1 });
  let page: Page;
  let plan: string;
  let changed: string;
  beforeAll(async () => {
    const context = await openContext({ viewport: { width: 1280, height: 1000 } });
    page = await context.newPage();
    page.setDefaultTimeout(15_000);
    return () => context.close();
  });

  const press = (name: string | RegExp) => page.getByRole('button', { name }).first().click();
  type Act = () => Promise<unknown>;
  const wait: Act = async () => undefined;

  async function shows(query: string, text: string, act: Act = wait): Promise<void> {
    await page.goto(`${instance.api.url}/${query}`);
    await page.locator('#inbox-search').waitFor();
    await act();
    await page.getByText(text).filter({ visible: true }).first().waitFor();
  }

  /** The reason, and not as if it were still read, when these requests fail. */
  async function admits(query: string, address: RegExp, act: Act = wait): Promise<void> {
    const body = JSON.stringify({ code: 'database_unavailable', status: 503, detail: trouble });
    const problem = { status: 503, contentType: 'application/problem+json', body };
    await page.route(address, (route) => route.fulfill(problem));
    await shows(query, trouble, act);
    const places = ['#tab-panel', '.rail-list', '.settings-body', 'dialog'];
    const reading = page.locator(places.map((place) => `${place} .loading`).join(', '));
    for (const one of await reading.all()) await one.waitFor({ state: 'hidden' });
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  }

  it('in the list and the columns', async () => {
    const cases: Record<string, [empty: string, address: RegExp]> = {
      Plans: ['No plans yet', /\/api\/inbox\?/],
      Conversations: ['No conversations yet', /\/api\/conversations\?/],
      Inbox: ['No plans yet', /\/api\/inbox\?/],
      Conversation: ['What should be done?', /\/api\/conversations\/[^/]+\//],
      Plan: ['Approve exactly the plan you read.', /\/api\/plans\//],
    };
    await page.goto(instance.api.url);
    const names = await page.locator('.rail-views button, .pane-switch button').allTextContents();
    expect(names.map((name) => name.replace(/\d/g, '').trim())).toEqual(Object.keys(cases));
    for (const [name, [empty, address]] of Object.entries(cases)) {
      const act = name === 'Conversations' ? () => press(name) : wait;
      await shows('', empty, act);
      await admits(name === 'Plan' ? '?plan=PLAN-0' : '', address, act);
    }
  });

  describe('of a plan', () => {
    beforeAll(async () => {
      plan = (await instance.api.propose({ title: 'One step', steps: [step] })).id;
      const other = await instance.api.propose({ title: 'Two versions', steps: [step] });
      changed = other.id;
      await instance.api.post(`/api/plans/${changed}/patches`, {
        base_revision: other.revision,
        operations: [{ op: 'add_step', step: { ...step, id: '2' } }],
      });
    });

    it.each(tabs)('the tab %s', async (tab) => {
      const empty: Record<(typeof tabs)[number], string> = {
        overview: 'Waits 1 second',
        graph: 'Press a step to read it.',
        timeline: 'Waits 1 second',
        steps: 'Waits 1 second',
        changes: 'One version so far',
        trace: 'No trace',
        audit: 'Proposed',
      };
      await shows(`?plan=${plan}&tab=${tab}`, empty[tab]);
      await admits(`?plan=${changed}&tab=${tab}`, /\/api\/plans\/[^/]+\/(?!card|overview)/);
      await shows(`?plan=PLAN-0&tab=${tab}`, 'There is no plan PLAN-0');
    });
  });

  it.each(sections)('the settings, %s', async (section) => {
    const empty: Record<(typeof sections)[number], string> = {
      preferences: 'Nothing yet',
      tools: 'No MCP server is connected',
      approvals: 'Only its requester',
      models: 'No model',
      running: 'Active workers',
      chats: 'Not connected',
      access: 'Not set',
    };
    await shows(`?settings=${section}`, empty[section]);
    // The dialog of preferences does not open without them: below.
    if (section !== 'preferences') await admits(`?settings=${section}`, /\/api\/settings/);
  });

  const views = new URL('../../adapters/console/page/views/', import.meta.url).pathname;
  const build: Act = () => press('Build a plan');
  /** Null: it asks the server for nothing, or needs plans. */
  const dialogs: Record<string, [open: Act, empty: string | null, address: RegExp | null]> = {
    'builder.ts': [build, 'workspace_list', /\/api\/operations/],
    'playbooks.ts': [
      () => build().then(() => press('Or run a playbook')),
      'two-files',
      /\/api\/playbooks/,
    ],
    'recurring.ts': [
      () => press('Reminders and recurring steps'),
      'remind me every',
      /\/api\/recurring/,
    ],
    'shortcuts.ts': [() => press('Keyboard shortcuts'), 'Single keys', null],
    'settings/dialog.ts': [() => press('Settings'), 'Preferences', /\/api\/policy/],
    'triage.ts': [
      async () => {
        await page.getByRole('checkbox', { name: 'Select One step' }).check();
        await press(/^Approve 1/);
      },
      null,
      /\/api\/plans\/[^/]+\/card/,
    ],
    'token-dialog.ts': [
      async () => {
        const refusal = { status: 401, body: '{}' };
        await page.route('**/api/conversations?*', (route) => route.fulfill(refusal));
        await press('Conversations');
      },
      'This server needs a token',
      null,
    ],
  };

  it('has a case for every dialog', async () => {
    const files = await readdir(views, { recursive: true });
    const draws = /drawDialog\(\{|<dialog|createElement\('dialog'\)/;
    const found: string[] = [];
    for (const file of files)
      if (file.endsWith('.ts') && file !== 'dialog.ts')
        if (draws.test(await readFile(join(views, file), 'utf8'))) found.push(file);
    expect(Object.keys(dialogs).sort()).toEqual(found.sort());
  });

  it.each(Object.entries(dialogs))('the dialog of %s', async (_, [open, empty, address]) => {
    if (empty !== null) await shows('', empty, open);
    if (address !== null) await admits('', address, open);
  });
});
