// chat_post: says something in a conversation, once per step however often the step runs.
import { z } from 'zod';
import { CountersignError } from '#contracts/errors.ts';
import type { Operation } from '#contracts/tool.ts';
import { defineOperation, text } from './define-operation.ts';
import { throwIfAborted } from './failures.ts';
import { toLine } from './limit-output.ts';
import { describeOutput } from './output-schema.ts';
import type { ChatPort } from './ports.ts';

export function createChatPost(chat: ChatPort): Operation {
  return defineOperation({
    tool: 'chat',
    operation: 'post',
    description: 'Post a message in this conversation, or in another one of the same workspace.',
    effect: 'idempotent',
    destructive: false,
    targetArgument: 'conversation',
    verbs: ['post', 'say', 'tell', 'announce', 'send'],
    schema: z.strictObject({
      text: text(20_000, 'What to say.'),
      conversation: text(
        300,
        'Where to say it; left out: where the plan was asked for.',
      ).optional(),
    }),
    output: describeOutput(z.strictObject({ conversation: z.string() })),
    async run(args, context) {
      throwIfAborted(context.signal);
      const conversation = args.conversation ?? context.conversation;
      if (conversation === null)
        throw new CountersignError(
          'invalid_arguments',
          'This plan has no conversation to post in; name one in "conversation".',
        );
      await chat.post({
        conversation,
        from: context.conversation,
        user: context.user,
        text: args.text,
        once: context.idempotencyKey,
      });
      return { summary: `Posted: ${toLine(args.text, 120)}`, data: { conversation } };
    },
  });
}
