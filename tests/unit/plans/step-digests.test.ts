// Approvals and stored plans rest on digests of an earlier version.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { StepContent } from '#domain/plan/step-content.ts';
import { canonicalStep, digestPlan, type PlanHeader, sealOf } from '#plans/content/digests.ts';

type Frozen = { content: StepContent; canonical: string; seal: string };
const path = join(import.meta.dirname, '../../fixtures/step-digests.jsonl');
const lines: unknown[] = readFileSync(path, 'utf8')
  .trim()
  .split('\n')
  .map((text) => JSON.parse(text));
const frozen = lines.slice(0, -1) as Frozen[]; // That version wrote this form.

test('every step has the canonical text and the seal that it had', () => {
  expect(frozen.length).toBeGreaterThan(100);
  const now = frozen.map(({ content }) => ({
    content,
    canonical: hash('sha256', canonicalStep(content), 'hex'),
    seal: sealOf(content),
  }));
  expect(now).toEqual(frozen);
});

test('a plan of these steps has the digest that it had', async () => {
  const { header, digest } = lines.at(-1) as { header: PlanHeader; digest: string };
  expect(
    await digestPlan(
      header,
      frozen.map(({ content }) => content),
    ),
  ).toBe(digest);
});
