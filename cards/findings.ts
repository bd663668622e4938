// A plan's problems on its card.
import type { CardPress, PlanCardFacts } from '#domain/chat/card.ts';
import { describeBlockage } from '#domain/plan/blockage.ts';
import type { Finding, FindingAction } from '#domain/plan/finding.ts';
import { quoteName, quoteWords, showLine } from '#domain/shown-text.ts';
import { countOf } from '#domain/words.ts';
import { makeButton } from './buttons.ts';
import { describeHeld, describeProgress, severityWords } from './finding-words.ts';
import { quote, showPerson } from './plain.ts';
import type { Ask, Button, Line, Section, SectionKind } from './view.ts';
import { andMore } from './words.ts';

export function plainLine(text: string, extra: Partial<Line> = {}): Line {
  return { lead: '', text, note: '', quotes: [], aside: '', url: null, ...extra };
}

/** Null if empty. */
export function makeSection(
  kind: SectionKind,
  label: string,
  lines: Line[],
  most: number,
  total = lines.length,
): Section | null {
  if (total === 0 || lines.length === 0) return null;
  const shown = lines.slice(0, most);
  const hidden = Math.max(0, total - shown.length);
  return { kind, label, lines: shown, hidden, more: andMore(hidden), all: '', inline: '' };
}

/** Bound by an approval: if cut, reviewed first. */
export function isBinding({ kind }: Section): boolean {
  return kind === 'effects' || kind === 'terms';
}

/** Counts omissions. */
export function keepLines(section: Section, most: number): Section {
  const hidden = section.hidden + Math.max(0, section.lines.length - most);
  const lines = section.lines.slice(0, most);
  const more = lines.length === 0 ? countOf(hidden, 'line') : andMore(hidden);
  return { ...section, lines, hidden, more, inline: hidden > section.hidden ? '' : section.inline };
}

const maxBlocked = 3;

/** @param begun whether steps already wait */
export function viewBlocked({ blocked, labels }: PlanCardFacts, begun: boolean): Section | null {
  const names = new Map(Object.entries(labels));
  const lines = blocked.map((blockage) =>
    plainLine(showLine(describeBlockage(blockage, names, begun), 400), { lead: '△' }),
  );
  return makeSection('blocked', begun ? 'Waiting' : 'Not ready to run', lines, maxBlocked);
}

const maxFindings = 5;
const maxEvidence = 3;

const labels: Record<FindingAction, string> = {
  replan: 'Correct the plan',
  proceed: 'Run them as they are',
  leave_out: 'Leave them out',
  dismiss: 'Dismiss',
};

const confirms: Partial<Record<FindingAction, Button['confirm']>> = {
  leave_out: {
    text: 'The steps on hold will never run. Everything else continues.',
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

function askAboutSuggestion(finding: Finding, facts: PlanCardFacts): Omit<Ask, 'buttons'> {
  return {
    kind: 'finding',
    step_id: finding.id,
    label: `${showPerson(facts, finding.raised_by, 60)} suggests a change`,
    text: quoteWords(finding.message, 600),
    quotes: [],
    known: [],
    note: null,
    fields: [],
  };
}

const suggestionLabels: Partial<Record<FindingAction, string>> = {
  replan: 'Use it',
  dismiss: 'Leave it',
};

function askAbout(finding: Finding, facts: PlanCardFacts): Ask {
  const { plan } = facts;
  const { id, message, severity, actions, evidence, category } = finding;
  const suggested = category === 'suggestion';
  const button = (action: FindingAction, index: number): Button =>
    makeButton(
      {
        action: pressed[action],
        plan_id: plan.id,
        version: plan.version,
        digest: plan.digest,
        finding_id: id,
      },
      (suggested ? suggestionLabels[action] : undefined) ?? labels[action],
      // On a waiting plan, Approve is primary.
      {
        style: index === 0 && !suggested ? 'primary' : 'plain',
        confirm: confirms[action] ?? null,
      },
    );
  if (suggested) return { ...askAboutSuggestion(finding, facts), buttons: actions.map(button) };
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

const needsWord = ({ status, severity, actions, category }: Finding): boolean =>
  status === 'open' &&
  (severity === 'ERROR' || severity === 'CRITICAL' || category === 'suggestion') &&
  actions.length > 0;

export function askAboutFindings(facts: PlanCardFacts): Ask[] {
  return facts.findings.open.filter(needsWord).map((finding) => askAbout(finding, facts));
}

/** Being corrected, or informational. */
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
  return makeSection('findings', 'Found', lines, maxFindings, lines.length + findings.more);
}
