// validate_grammar: validates the outline and suggests fixes.
import { toJson } from '#domain/text.ts';
import { countOf } from '#domain/words.ts';
import { defineTool, noArguments } from '../define-tool.ts';
import { suggestFixes } from '../outline/fix.ts';
import { scoreRules, validateOutline } from '../outline/validate-outline.ts';

/** Blocking violations first. */
const maxShown = 100;

export const validateGrammar = defineTool({
  name: 'validate_grammar',
  description:
    'Checks the outline: one tree under a goal, work at the leaves, no circles, rhythms with rules, what its pattern needs. Says what would mend it.',
  input: noArguments,
  stages: ['VALIDATE_OUTLINE'],
  prerequisites: ['outline'],
  produces: ['valid_outline'],
  revision: 1,
  async execute(_, { state: { outline } }) {
    if (outline === null) {
      const explanations = ['There is no outline to check.'];
      return { result: { ok: false, confidence: 0, explanations, data: null } };
    }
    const all = validateOutline(outline);
    const violations = [
      ...all.filter(({ blocking }) => blocking),
      ...all.filter(({ blocking }) => !blocking),
    ].slice(0, maxShown);
    const valid = !all.some(({ blocking }) => blocking);
    const score = scoreRules(all, outline.nodes.length);
    const fixes = all.length === 0 ? [] : (await suggestFixes(outline, all)).slice(0, maxShown);
    return {
      // Blocked; the score says how far off.
      result: {
        ok: valid,
        confidence: score,
        explanations:
          all.length === 0
            ? [`${countOf(outline.nodes.length, 'node')}, no violations.`]
            : violations.slice(0, 10).map(({ text }) => text),
        data: toJson({ valid, violations, suggested_fixes: fixes }),
      },
      violations,
      ends: valid ? 'valid' : 'invalid_retryable',
    };
  },
});
