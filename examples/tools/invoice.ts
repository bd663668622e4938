// Sends invoices through the accounting system's API. Step: { "tool": "invoice", "operation": "send", "args": { … } }
import { defineOperation, refusal, secret, z } from 'countersign/tools';

const Answer = z.object({ number: z.string() });

export default defineOperation({
  tool: 'invoice',
  operation: 'send',
  description: 'Send an invoice to a customer.',
  effect: 'write',
  destructive: false,
  schema: z.strictObject({
    customer: z.string().describe('Number of the customer, such as C-1042.'),
    euros: z.number().positive(),
    text: z.string().describe('What it is for, as the customer reads it.'),
  }),
  output: Answer,
  describe: () => ({ verb: 'Sends an invoice to', target: 'customer', payload: ['text'] }),
  async run({ customer, euros, text }, { idempotencyKey, signal }) {
    const headers = {
      authorization: `Bearer ${secret('INVOICE_TOKEN')}`,
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
    };
    const body = JSON.stringify({ customer, euros, text });
    const answer = await fetch(secret('INVOICE_API'), { method: 'POST', headers, body, signal });
    if (answer.status === 422) throw refusal(`There is no customer ${customer}.`);
    if (!answer.ok) throw new Error(`The accounting system answered ${answer.status}.`);
    const { number } = Answer.parse(await answer.json());
    return { summary: `Sent invoice ${number} to ${customer}.`, data: { number } };
  },
});
