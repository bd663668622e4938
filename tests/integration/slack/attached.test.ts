// Files attached in Slack: listed, read on demand, copied.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, propose, resultsIn } from '../../fixtures/model-calls.ts';
import {
  type ChatBody,
  type OpenAiDouble,
  start,
  type Turn,
} from '../../fixtures/openai-double.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import { waitFor } from '../../wait.ts';
import { approve, seeCard, useDesk } from './desk.ts';

const database = useDatabase();
let model: OpenAiDouble;
let reply: (body: ChatBody, index: number) => Turn = () => ({ status: 400 });

beforeAll(async () => {
  model = await start({ script: (body, index) => reply(body, index) });
});
afterAll(() => model.close());

const zip = (files: Record<string, string>) =>
  Buffer.from(zipSync(Object.fromEntries(Object.entries(files).map(([n, t]) => [n, strToU8(t)]))));
const docx = zip({
  'word/document.xml':
    '<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>Launch on </w:t></w:r><w:r><w:t>the 5th</w:t></w:r></w:p><w:p><w:r><w:t>Budget &lt; 5k</w:t></w:r></w:p></w:body></w:document>',
});
const xlsx = zip({
  'xl/workbook.xml': '<workbook><sheets><sheet name="Costs"/></sheets></workbook>',
  'xl/sharedStrings.xml': '<sst><si><t>Item</t></si><si><t>Hall</t></si></sst>',
  'xl/worksheets/sheet1.xml':
    '<worksheet><sheetData><row><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>EUR</t></is></c></row><row><c r="A2" t="s"><v>1</v></c><c r="C2"><v>41.5</v></c></row></sheetData></worksheet>',
});
// One page, without an xref table.
function pdf(text: string): Buffer {
  const shown = text === '' ? '' : `BT /F1 12 Tf 72 700 Td (${text}) Tj ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${shown.length} >>\nstream\n${shown}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ].map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`);
  return Buffer.from(`%PDF-1.7\n${objects.join('')}trailer << /Root 1 0 R /Size 6 >>\n%%EOF`);
}
const attached = [
  { name: 'plan.docx', content: docx },
  { name: 'costs.xlsx', content: xlsx },
  { name: 'people.csv', content: Buffer.from('name;mail\nJosé;j@example.com\n', 'latin1') },
  { name: 'photo.png', content: readFileSync('adapters/teams/package/color.png') },
  { name: 'broken.docx', content: Buffer.from('no zip') },
  { name: 'torn.pdf', content: Buffer.from('%PDF-1.7\n1 0 obj') },
  { name: 'scan.pdf', content: pdf('') },
  { name: 'offer.pdf', content: pdf('Hall for 40 people') },
];

const words = (body: ChatBody) => body.messages.map(({ content }) => content ?? '').join('\n');
const idOf = (body: ChatBody, name: string) =>
  new RegExp(`file "${name}" \\([^)]*id (F\\w+)\\)`).exec(words(body))?.[1] ?? '';

test('attached files are listed, read on demand, and copied only by a step of the plan', async () => {
  const desk = await useDesk(database, { env: { OPENAI_BASE_URL: model.url } });
  const { slack, ana, channel, instance } = desk;
  const from = model.requests.length;
  const names = attached.map(({ name }) => name);
  reply = (body, index) => {
    const at = index - from;
    const name = names[at];
    if (name !== undefined) return call('read_file', { id: idOf(body, name) });
    const args = { file: idOf(body, 'costs.xlsx'), path: 'in/costs.xlsx' };
    const step = draftStep('1', 'Keep the costs', 'chat_save_file', args);
    return propose({ title: 'Keep the costs', steps: [step], confidence: 0.9 });
  };
  const text = 'keep the costs';
  const { message } = await slack.mention(ana.id, channel, text, undefined, attached);
  const card = await seeCard(desk, message.ts);
  const last = model.requests[from + names.length];
  const results = resultsIn(last as ChatBody);
  expect(results[0]).toContain('Launch on the 5th\\nBudget < 5k');
  expect(results[1]).toContain('Costs\\nItem\\t\\tEUR\\nHall\\t\\t41.5');
  expect(results[2]).toContain('José;j@example.com');
  expect(results[3]).toContain('can’t be read');
  expect(results[4]).toContain('not a readable docx file');
  expect(results[5]).toContain('This PDF can’t be read: it is damaged');
  expect(results[6]).toContain('This PDF can’t be read: it has no text');
  expect(results[7]).toContain('Page 1\\nHall for 40 people');
  const id = /PLAN-[0-9a-f]{8}/.exec(JSON.stringify(card.blocks))?.[0] ?? '';
  expect(JSON.stringify(await instance.service.getPlan(id))).not.toContain('Hall');
  await approve(desk, ana, card);
  await waitFor(
    'the plan to end',
    async () => (await instance.service.getPlan(id)).status === 'completed',
  );
  expect((await readFile(join(instance.workspace, 'in/costs.xlsx'))).equals(xlsx)).toBe(true);
});

test('a file of another conversation, or one Slack does not hand over, is not read', async () => {
  const desk = await useDesk(database, { env: { OPENAI_BASE_URL: model.url } });
  const { slack, ana, ben, channel } = desk;
  const elsewhere = slack.addChannel({ name: 'elsewhere', members: [ana.id, ben.id] }).id;
  const secret = [{ name: 'secret.txt', content: Buffer.from('the secret') }];
  const hidden = slack.wrote(ben.id, elsewhere, 'secret', { files: secret }).files?.[0]?.id ?? '';
  const from = model.requests.length;
  reply = (_, index) =>
    index === from
      ? call('read_file', { id: hidden })
      : call('answer', { text: 'It is not here.', asked_for_change: false, cannot: null });
  const files = [{ name: 'a.txt', content: Buffer.from('a') }];
  await slack.mention(ana.id, channel, 'read it', undefined, files);
  const body = await waitFor('the answer', () => model.requests[from + 1]);
  expect(words(body)).not.toContain('the secret');
  expect(resultsIn(body)[0]).toContain('not attached in this conversation');
});
