// Checks that organisations' data stayed separate.
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { digitIn, organisationNames } from './organisations.ts';
import type { Stage } from './stage.ts';
import { findRun, type Story } from './story.ts';
import { judge, type Verdict } from './verdicts.ts';
import { digitOf, findNames } from './work.ts';

const folders = ['soak', 'done', 'last'];
const Page = z.object({ next_cursor: z.string().nullish() });

type Row = { what: string; tenant: string | null; text: string };

const readRows = `
  select 'run ' || id as what, tenant, request || ' ' || response_text as text from countersign.runs
  union all select 'plan ' || id, tenant, title from countersign.plans
  union all select 'step ' || step_id || ' of ' || plan_id, p.tenant, c.args::text
    from countersign.plan_steps c join countersign.plans p on p.id = c.plan_id
  union all select 'result of ' || step_id || ' of ' || plan_id, p.tenant, coalesce(s.output::text, '') || coalesce(s.result_summary, '')
    from countersign.step_states s join countersign.plans p on p.id = s.plan_id`;

const readPosts = `
  select a.platform || ':' || a.tenant as place, p.tenant, p.id as plan
  from countersign.chat_posts c join countersign.chat_places a using (conversation) join countersign.plans p on p.id = c.plan_id`;

async function readFiles(folder: string): Promise<{ path: string; text: string }[]> {
  const found = folders.flatMap(async (name) => {
    const files = await readdir(join(folder, name)).catch(() => []);
    const read = files.map(async (file) => {
      const path = `${name}/${file}`;
      return { path, text: await readFile(join(folder, path), 'utf8') };
    });
    return await Promise.all(read);
  });
  return (await Promise.all(found)).flat();
}

const lists = ['/api/plans?limit=100', '/api/conversations?limit=100', '/api/inbox?'];

async function readList(front: string, path: string, token: string): Promise<string> {
  let all = '';
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await fetch(front + path + query, {
      headers: { authorization: `Bearer ${token}` },
    });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status} ${text}`);
    all += text;
    cursor = Page.parse(JSON.parse(text)).next_cursor ?? null;
  } while (cursor !== null);
  return all;
}

export async function judgeSeparation(
  stage: Stage,
  tokens: Map<string, string>,
  stories: Story[],
): Promise<Verdict> {
  const { records, slack, teams, front, organisations } = stage;
  const problems: string[] = [];
  const tenantOf = (name: string) => organisations[digitOf(name)]?.tenant ?? null;
  const strangersIn = (text: string, tenant: string | null) =>
    [...new Set(findNames(text))].filter((name) => tenantOf(name) !== tenant);
  const expectOwn = (what: string, text: string, tenant: string | null) => {
    for (const name of strangersIn(text, tenant))
      problems.push(`${what} of ${tenant ?? 'nobody'} has ${name} in it`);
  };

  for (const { what, tenant, text } of await records.query<Row>(readRows))
    expectOwn(what, text, tenant);
  const plans = new Map(
    (
      await records.query<{ id: string; tenant: string | null }>(
        'select id, tenant from countersign.plans',
      )
    ).map(({ id, tenant }) => [id, tenant]),
  );
  for (const { name, plan, tenant } of stories)
    if (plan !== null && plans.get(plan) !== tenant)
      problems.push(`${plan} of ${name} belongs to ${plans.get(plan)}`);

  const expectOwnPlans = (what: string, text: string, tenant: string | null) => {
    for (const [plan] of text.matchAll(/PLAN-[0-9a-f]+/g))
      if (plans.has(plan) && plans.get(plan) !== tenant)
        problems.push(`${what} of ${tenant ?? 'nobody'} shows ${plan} of ${plans.get(plan)}`);
  };
  for (const { place, tenant, plan } of await records.query<{
    place: string;
    tenant: string | null;
    plan: string;
  }>(readPosts))
    if (place !== tenant) problems.push(`${plan} of ${tenant} was posted in ${place}`);
  const posts = [
    ...slack.channels().flatMap((channel) =>
      slack.messages(channel).map(({ ts, text, blocks, team }) => ({
        what: `Slack ${ts}`,
        tenant: `slack:${team}`,
        text: text + JSON.stringify(blocks),
      })),
    ),
    ...teams.messages.map(({ id, activity }) => ({
      what: `Teams ${id}`,
      tenant: `teams:${teams.tenant}`,
      text: JSON.stringify(activity),
    })),
  ];
  for (const { what, tenant, text } of posts) {
    expectOwn(what, text, tenant);
    expectOwnPlans(what, text, tenant);
  }

  const contents = new Map<string, number>();
  for (const { tenant } of organisations)
    for (const { path, text } of await readFiles(stage.folderOf(tenant))) {
      contents.set(path, (contents.get(path) ?? 0) + 1);
      expectOwn(path, `${path} ${text}`, tenant);
      if (findNames(text).length !== 1) problems.push(`${path} of ${tenant} has “${text}” in it`);
    }
  const shared = [...contents.values()].filter((count) => count > 1).length;
  if (shared === 0) problems.push('no file was there in two organisations');
  for (const { name } of organisations)
    if (!existsSync(stage.folderOf(organisations[digitIn(name)]?.tenant ?? null)))
      problems.push(`${name} has no folder`);

  const reads = stories.flatMap(({ name, tenant, reads: of, ...story }) => {
    const run = findRun(records, { name, tenant, reads: of, ...story });
    return of === null || run === undefined ? [] : [{ of, tenant, answer: run.answer }];
  });
  const own = reads.filter(({ of, tenant }) => tenantOf(of) === tenant);
  const others = reads.filter(({ of, tenant }) => tenantOf(of) !== tenant);
  for (const { of, tenant, answer } of others)
    if (answer.includes(of)) problems.push(`${tenant} was shown the file of ${of}`);
  if (own.length > 2 && !own.some(({ of, answer }) => answer.includes(of)))
    problems.push('nobody was shown a file of their own');

  for (const [tenant, token] of tokens) {
    for (const path of lists) {
      const text = await readList(front, path, token);
      expectOwn(path, text, tenant);
      expectOwnPlans(path, text, tenant);
      if (path === lists[0] && !text.includes('PLAN-'))
        problems.push(`${tenant} is shown no plans of its own: ${text.slice(0, 100)}`);
    }
    for (const [plan, owner] of [...plans].filter(([, owner]) => owner !== tenant).slice(0, 40)) {
      const answer = await fetch(`${front}/api/plans/${plan}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      if (answer.status !== 404)
        problems.push(`${plan} of ${owner} is ${answer.status} for ${tenant}`);
      await answer.body?.cancel();
    }
  }
  const counts = organisationNames.map(
    (name) => `${stories.filter(({ organisation }) => organisation === name).length} of ${name}`,
  );
  return judge(
    'requests, plans, messages and files stayed with the organisation they were of',
    problems,
    `${counts.join(', ')}; ${shared} files called the same in several; ${others.length} reads of others' files and ${own.length} of their own`,
  );
}
