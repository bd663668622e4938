// chat_save_file: copies an attached file into the workspace.
import { z } from 'zod';
import { CountersignError } from '#domain/errors.ts';
import type { Operation } from '#domain/tool.ts';
import { countOf } from '#domain/words.ts';
import { defineOperation, text } from '../define-operation.ts';
import { throwIfAborted } from '../failures.ts';
import { describeOutput } from '../output-schema.ts';
import type { FilePort } from '../ports.ts';
import { withFileErrors } from './file-errors.ts';
import { inspectWrite } from './inspect.ts';
import { whileLocked } from './lock.ts';
import type { Sandbox } from './sandbox.ts';
import { checkFilePath, putFile } from './write.ts';

export function createSaveAttached(sandbox: Sandbox, files: FilePort): Operation {
  return defineOperation({
    tool: 'chat',
    operation: 'save_file',
    description: 'Copy a file attached in this conversation into the workspace.',
    effect: 'write',
    destructive: false,
    // Planners see it if files are attached.
    seldom: true,
    targetArgument: 'path',
    schema: z.strictObject({
      file: text(200, 'The id of the file.'),
      path: text(2000, 'Where to: a file that does not exist yet.'),
    }),
    output: describeOutput(z.strictObject({ path: z.string(), size: z.number().int() })),
    check: checkFilePath,
    inspect: inspectWrite(sandbox, 'new'),
    run: ({ file, path }, { conversation, signal }) =>
      withFileErrors(path, async () => {
        throwIfAborted(signal);
        const { content } = await files.fetch(conversation, file, signal);
        return sandbox.withPlace(path, { follow: true, createFolders: true }, (place) =>
          whileLocked(place, signal, async () => {
            if (!(await putFile(place, content, { mode: 0o666, overwrite: false })))
              throw new CountersignError('tool_failed', `${place.path} already exists.`);
            const size = content.length;
            return {
              summary: `Copied an attached file to ${place.path} (${countOf(size, 'byte')}).`,
              data: { path: place.path, size },
            };
          }),
        );
      }),
  });
}
