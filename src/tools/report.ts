// plan_report: reports a problem with the plan, found by a condition.
import { z } from 'zod';
import { type NewFinding, Severity } from '#domain/plan/finding.ts';
import type { Operation } from '#domain/tool.ts';
import { defineOperation, text } from './define-operation.ts';
import { toLine } from './limit-output.ts';
import { describeOutput } from './output-schema.ts';

export function createReport(): Operation {
  return defineOperation({
    tool: 'plan',
    operation: 'report',
    description: 'Report a problem.',
    effect: 'read',
    destructive: false,
    seldom: true,
    schema: z.strictObject({
      severity: Severity.describe(
        'INFO and WARN are only kept; ERROR and CRITICAL hold steps back.',
      ),
      message: text(2000, 'What is wrong, in one or two sentences.'),
      step: text(200, 'The step it is about; left out: this one.').optional(),
    }),
    output: describeOutput(z.null()),
    async run({ severity, message, step }) {
      const finding: NewFinding = {
        severity,
        category: 'reported',
        message,
        ...(step === undefined ? {} : { step_id: step }),
        evidence: [],
      };
      return {
        summary: `${severity}: ${toLine(message, 200)}`,
        data: null,
        findings: [finding],
      };
    },
  });
}
