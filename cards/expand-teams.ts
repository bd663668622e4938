// Teams cards for details, plan lists and settings.
import type { PolicyView } from '#domain/service.ts';
import { cutShown } from '#domain/shown-text.ts';
import { reviewLabel } from './buttons.ts';
import { homeWords, pressWords, windowWords } from './chat-words.ts';
import type { DetailsView } from './details-view.ts';
import { dressState, editDialog, readAloud, widthOfLeads } from './dress-teams.ts';
import { type Drawn, expandCard, findTemplate, fitsTeams } from './expand.ts';
import { escapeMacros, mapShown } from './plain.ts';
import { describePlan, type PlanListView } from './plan-list.ts';
import {
  calendarWords,
  describeCalendar,
  describeEffect,
  listChoices,
  sliderNames,
  sliders,
} from './policy-words.ts';
import { sliderInput, stepInput, verbs } from './press.ts';
import type { ReviewStep } from './review.ts';
import { dryRunButton } from './words.ts';

const templates = {
  details: findTemplate('teams/details.json'),
  list: findTemplate('teams/plan-list.json'),
  policy: findTemplate('teams/policy.json'),
};

export type Back = { title: string; verb: string; data: object };

/** Clients hide more. */
const rowOfButtons = 6;

/** Roomy to minimal. */
const lengths = [240, 120, 60, 30];

/** Roomiest that fits, else the smallest. */
function fitLines(draw: (length: number) => Drawn): Drawn {
  let drawn = draw(1000);
  for (const length of lengths) {
    if (fitsTeams(drawn)) return drawn;
    drawn = draw(length);
  }
  return drawn;
}

/** Clients strip leading spaces, which matter in diffs and scripts. */
function keepIndents(text: string): string {
  return text.replaceAll(/^ +/gm, (spaces) => '\u00a0'.repeat(spaces.length));
}

/** In full: `readReview` limits pages to a card. */
function drawStep(
  { lead, headline, note, quotes, parts, matters, marks, place, continued }: ReviewStep,
  ticks: boolean,
) {
  return {
    lead,
    text: continued ? `${headline} (continued)` : headline,
    marks: marks.join(' · '),
    // Holds conditions, so never cut.
    note,
    quotes,
    parts: parts.map(({ label, text, inline }) => ({
      label,
      text: inline ? text : `\n${keepIndents(text)}`,
    })),
    matters,
    tick: ticks && place !== null ? stepInput(place) : null,
    // Toggle titles are Markdown.
    tick_title: lead.replace(/[*_[\]()<>`~#|\\]/g, ' '),
  };
}

/** @param details the press, reused for other pages */
export function drawAdaptiveDetails(view: DetailsView, details: object, back: Back): Drawn {
  const { title, state, approve, ticks, covers, earlier, later, dry_run, facts, steps, label } =
    view;
  const turn = (words: string, pages: string[] | null) =>
    pages === null ? [] : [{ title: words, data: { ...details, pages } }];
  const buttons = view.edits.map(({ step, label: words }) => ({
    title: words,
    data: editDialog(view.plan_id, step),
  }));
  const rows = Array.from({ length: Math.ceil(buttons.length / rowOfButtons) }, (_, index) => ({
    row: buttons.slice(index * rowOfButtons, (index + 1) * rowOfButtons),
  }));
  const headlines = steps.map(({ headline }) => headline);
  const button = ticks
    ? { title: 'Approve the checked steps', verb: verbs.part }
    : { title: approve?.words ?? '', verb: 'approve' };
  return fitLines((length) => {
    const shown = {
      title,
      ...dressState(state),
      label,
      ticks,
      facts: [...facts, ...(covers === null ? [] : [{ label: 'Pages', text: covers }])].map(
        (row) => ({
          ...row,
          text: cutShown(row.text, Math.max(64, length)),
        }),
      ),
      steps: steps.map((step) => drawStep(step, ticks)),
      speak: readAloud([title, state.words, label, ...headlines]),
      fallback: cutShown([title, state.line, ...headlines].join('\n'), 1500),
    };
    return expandCard(templates.details, {
      ...mapShown(shown, escapeMacros),
      lead_width: widthOfLeads(steps),
      edits: rows,
      approve: approve === null ? null : { ...button, data: approve.press },
      turns: [
        ...turn(windowWords.pages.earlier, earlier),
        ...turn(windowWords.pages.later, later),
        ...turn(dryRunButton, dry_run),
      ],
      back,
    });
  });
}

export function drawAdaptiveList(
  {
    title,
    sections,
    more,
    list,
    reader,
  }: Pick<PlanListView, 'title' | 'sections' | 'more' | 'list' | 'reader'>,
  now: string,
): Drawn {
  return fitLines((length) => {
    const drawn = sections.map(({ plans, ...section }) => ({
      ...mapShown(section, escapeMacros),
      rows: plans.map((plan) => {
        const [name = '', note = ''] = describePlan(plan, now, { bar: true, reader }).split('\n');
        const line = { name: cutShown(name, length), note: cutShown(note, Math.max(120, length)) };
        return { ...line, plan };
      }),
    }));
    const paragraphs = drawn.flatMap(({ heading, rows }) => [
      ...(heading === '' ? [] : [heading]),
      ...rows.map(({ name, note }) => `${name}, ${note}`),
    ]);
    return expandCard(templates.list, {
      ...mapShown(
        { title, more, fallback: cutShown([title, ...paragraphs].join('\n'), 1500) },
        escapeMacros,
      ),
      speak: readAloud([title, ...paragraphs]),
      sections: drawn.map(({ rows, ...section }) => ({
        ...section,
        plans: rows.map(({ name, note, plan: { id, version, digest, may_approve: decides } }) => ({
          ...mapShown({ title: name, note }, escapeMacros),
          plan_id: id,
          button: decides ? reviewLabel : pressWords.details,
          press: { action: 'details', plan_id: id, version, digest, list },
        })),
      })),
    });
  });
}

/** @param result of the last change, or empty */
export function drawAdaptivePolicy(
  { policy, calendar }: Pick<PolicyView, 'policy' | 'calendar'>,
  result: string,
): Drawn {
  const fields = sliderNames.map((slider) => ({
    id: sliderInput(slider),
    label: sliders[slider].label,
    about: sliders[slider].about,
    effect: describeEffect(slider, policy),
    value: String(policy[slider]),
    choices: listChoices(slider, policy).map(({ label, value }) => ({ title: label, value })),
  }));
  return expandCard(templates.policy, {
    fields,
    calendar: {
      ...{ label: calendarWords.label, about: calendarWords.about },
      id: sliderInput(calendarWords.name),
      state: escapeMacros(describeCalendar(calendar)),
    },
    result,
    verb: verbs.settings,
    title: homeWords.policy,
    fallback: homeWords.policyElsewhere,
  });
}
