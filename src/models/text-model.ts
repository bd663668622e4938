// Plain text for the text tools; input is data, not instructions.
import { CountersignError } from '#domain/errors.ts';
import type { TextModel } from '#domain/text-model.ts';
import { type ChatRequest, priceCall } from './chat.ts';
import type { ExecutorModels } from './executor-models.ts';

/** Without output; then for the whole text. */
const idleTimeoutMs = 120_000;
const longestMs = 3_600_000;

export function createTextModel(models: ExecutorModels): TextModel {
  return {
    async complete({ model: name, system, prompt, pay, signal }) {
      const model = models(name);
      const request: ChatRequest = {
        messages: [
          { role: 'system', content: system },
          { role: 'user', content: prompt },
        ],
        deadline: Date.now() + longestMs,
        idleTimeoutMs,
      };
      const priced = priceCall(model, 'text', request);
      const reply = await pay(priced, () => model.complete(request, signal));
      if (reply.refusal) {
        throw new CountersignError('model_failed', `The model declined: ${reply.refusal}`);
      }
      if (reply.finishReason === 'length' || reply.finishReason === 'content_filter') {
        const why = reply.finishReason === 'length' ? 'cut off at its length limit' : 'filtered';
        throw new CountersignError(
          'model_failed',
          `The answer of the model ${model.name} was ${why}. Ask for a shorter text.`,
        );
      }
      const text = reply.content.trim();
      if (text === '') {
        throw new CountersignError('model_failed', `The model ${model.name} gave an empty answer.`);
      }
      return { text, cost_usd: reply.cost_usd };
    },
  };
}
