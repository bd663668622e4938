// A plan's findings: those that need a person's word as questions, the rest as lines.
import type { CardPress, PlanCardFacts } from '#domain/chat/card.ts';
import type { Finding, FindingAction } from '#domain/plan/finding.ts';
import { quoteName, quoteWords } from '#domain/shown-text.ts';
import { countOf } from '#domain/words.ts';
import { makeButton } from './buttons.ts';
import { describeHeld, describeProgress, severityWords } from './finding-words.ts';
import { makeSection, plainLine } from './lines.ts';
import { quote } from './quotes.ts';
import type { Ask, Button, Section } from './view.ts';

const maxLines = 5;
const maxEvidence = 3;

const labels: Record<FindingAction, string> = {
  replan: 'Correct the plan',
  proceed: 'Run them as they are',
  leave_out: 'Leave them out',
  dismiss: 'Dismiss',
};

const confirms: Partial<Record<FindingAction, Button['confirm']>> = {
  leave_out: {
    text: 'The steps on hold will never run. Everything else goes on.',
    submit: 'Leave them out',
  },
};

const pressed: Record<FindingAction, CardPress['action']> = {
  replan: 'finding_replan',
  proceed: 'finding_proceed',
  leave_out: 'finding_leave_out',
  dismiss: 'finding_dismiss',
};

function placeOf({ step_id, partition }: Finding, { labels }: PlanCardFacts): string {
  if (step_id !== null) return ` · step ${quoteName(labels[step_id] ?? step_id, 60)}`;
  return partition === null ? '' : ` · part ${quoteName(partition, 60)}`;
}

function askAbout(finding: Finding, facts: PlanCardFacts): Ask {
  const { plan } = facts;
  const { id, message, severity, actions, evidence } = finding;
  const button = (action: FindingAction, index: number): Button =>
    makeButton(
      {
        action: pressed[action],
        plan_id: plan.id,
        version: plan.version,
        digest: plan.digest,
        finding_id: id,
      },
      labels[action],
      { style: index === 0 ? 'primary' : 'plain', confirm: confirms[action] ?? null },
    );
  return {
    kind: 'finding',
    step_id: id,
    label: `${severityWords[severity].words}${placeOf(finding, facts)}`,
    text: quoteWords(message, 600),
    quotes: evidence.slice(0, maxEvidence).flatMap(({ text }) => quote('Evidence', text, 300)),
    known: [describeHeld(finding)],
    note: null,
    fields: [],
    buttons: actions.map(button),
  };
}

const needsWord = ({ status, severity, actions }: Finding): boolean =>
  status === 'open' && (severity === 'ERROR' || severity === 'CRITICAL') && actions.length > 0;

/** Open findings that need a person's word. */
export function askAboutFindings(facts: PlanCardFacts): Ask[] {
  return facts.findings.open.filter(needsWord).map((finding) => askAbout(finding, facts));
}

/** Other open findings: being corrected or informational, or null. */
export function viewFindings({ findings }: PlanCardFacts): Section | null {
  const lines = findings.open
    .filter((finding) => !needsWord(finding))
    .map((finding) => {
      const progress = describeProgress(finding);
      const held = finding.stale_steps > 0 ? `${countOf(finding.stale_steps, 'step')} on hold` : '';
      return plainLine(quoteWords(finding.message, 300), {
        lead: progress === '' ? '△' : '⟳',
        note: [held, progress].filter((text) => text !== '').join(' · '),
      });
    });
  return makeSection('findings', 'Found', lines, maxLines, lines.length + findings.more);
}
