// human_task: hands a step to a person and waits for their answer. It does nothing itself.
import { z } from 'zod';
import type { Operation } from '#contracts/tool.ts';
import { defineOperation, text } from './define-operation.ts';

export function createHumanTask(): Operation {
  return defineOperation({
    tool: 'human',
    operation: 'task',
    description: 'Ask a person to do or answer something; the plan waits for them.',
    effect: 'idempotent',
    destructive: false,
    human: true,
    targetArgument: 'assignee',
    verbs: ['ask', 'check with', 'assign'],
    schema: z.strictObject({
      question: text(3000, 'What the person should do or answer.'),
      assignee: text(200, 'Who; left out: whoever asked for the plan.').optional(),
      form: z.json().optional().describe('Fields to fill in, as data for the form.'),
    }),
    async run({ question, assignee, form }) {
      return {
        waitFor: 'person',
        question,
        assignee: assignee ?? null,
        form: form ?? null,
      };
    },
  });
}
