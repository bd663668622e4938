// read_file: attached files; the text stays with the planner.
import { z } from 'zod';
import { defineTool } from '../define-tool.ts';
import { fail, succeed } from '../tool.ts';

const ReadFile = z.strictObject({ id: z.string().min(1).max(200).describe('as listed') });

export const readFile = defineTool({
  name: 'read_file',
  description: 'Read an attached file.',
  input: ReadFile,
  shown: ReadFile,
  reads: true,
  hidden: true,
  async execute({ id }, { tools, state, signal }) {
    if (tools.files === undefined) return { result: fail('No files are attached here.') };
    const { name, text, cut } = await tools.files.read(state.run_id, id, signal);
    return { result: succeed({ name, text, ...(cut ? { truncated: true } : {}) }) };
  },
});
