// The preference sliders in words.
import type { InteractionPolicy } from '#domain/people/policy.ts';
import { listOf } from '#domain/words.ts';

export type Slider = keyof InteractionPolicy;
type Choice = { value: string; label: string; does: string };
type Words = { label: string; about: string } & (
  | { kind: 'choice'; choices: Choice[] }
  | { kind: 'range'; min: number; max: number; step: number }
);

export const sliders: Record<Slider, Words> = {
  conversation_style: {
    kind: 'choice',
    label: 'Style',
    about: 'How much reasoning you see',
    choices: [
      {
        value: 'concise',
        label: 'Concise',
        does: 'The outcome, and two options where there is a choice',
      },
      { value: 'standard', label: 'Standard', does: 'The outcome and what you need to decide' },
      { value: 'conversational', label: 'Conversational', does: 'The outcome with my reasoning' },
      { value: 'coach', label: 'Coach', does: 'Every step explained as we go' },
    ],
  },
  talkativeness: {
    kind: 'range',
    label: 'Talkativeness',
    about: 'How much I write',
    min: 0,
    max: 1,
    step: 0.1,
  },
  probing_depth: {
    kind: 'range',
    label: 'Questions',
    about: 'How many questions I may ask before planning',
    min: 0,
    max: 3,
    step: 1,
  },
  autonomy: {
    kind: 'choice',
    label: 'Autonomy',
    about: 'What I do when something is unclear',
    choices: [
      { value: 'high', label: 'High', does: 'I assume, and list my assumptions on the plan' },
      { value: 'medium', label: 'Medium', does: 'I ask about what matters and assume the rest' },
      { value: 'low', label: 'Low', does: 'I ask before I assume anything' },
    ],
  },
  brainstorming_preference: {
    kind: 'choice',
    label: 'Ideas',
    about: 'When I offer ideas and options',
    choices: [
      { value: 'on_demand', label: 'When asked', does: 'Only when you ask for them' },
      {
        value: 'suggest_when_uncertain',
        label: 'When unsure',
        does: 'When I am not sure what fits best',
      },
      { value: 'always_offer', label: 'Always', does: 'Before each plan' },
    ],
  },
  approval_policy: {
    kind: 'choice',
    label: 'Approvals',
    about: 'When I ask for approval',
    choices: [
      { value: 'single_final', label: 'Once', does: 'For the finished plan' },
      {
        value: 'milestone_approvals',
        label: 'In stages',
        does: 'For the outline, the order, the dates, then the plan',
      },
      {
        value: 'strict_every_step',
        label: 'Every step',
        does: 'In stages, and again before each step runs',
      },
    ],
  },
  tone: {
    kind: 'choice',
    label: 'Tone',
    about: 'Tone',
    choices: [
      { value: 'neutral', label: 'Neutral', does: 'Plain' },
      { value: 'friendly', label: 'Friendly', does: 'Warmer, like a colleague' },
      { value: 'clinical', label: 'Clinical', does: 'Just the facts' },
    ],
  },
};

export const calendarWords = {
  name: 'calendar',
  label: 'Calendar',
  about: 'I plan your work around your appointments. Nobody else sees them',
  example: 'Secret ICS address: https://…',
} as const;

export const describeCalendar = (host: string | null): string =>
  host === null
    ? `None. ${calendarWords.example}`
    : `Connected: ${host}. Enter “none” to disconnect it.`;

export const sliderNames = Object.keys(sliders) as Slider[];

const amounts = ['None', 'At most one', 'At most two', 'At most three'];

/** `Concise`, `At most two`, `50 %` */
export function describeValue(slider: Slider, policy: InteractionPolicy): string {
  const words = sliders[slider];
  const value = policy[slider];
  if (words.kind === 'choice') {
    return words.choices.find((choice) => choice.value === value)?.label ?? String(value);
  }
  if (slider === 'probing_depth') return amounts[Number(value)] ?? String(value);
  return `${Math.round(Number(value) * 100)} %`;
}

export function listChoices(
  slider: Slider,
  policy: InteractionPolicy,
): { value: string; label: string }[] {
  const words = sliders[slider];
  if (words.kind === 'choice') return words.choices.map(({ value, label }) => ({ value, label }));
  const count = Math.round((words.max - words.min) / words.step);
  return Array.from({ length: count + 1 }, (_, i) => {
    const value = Number((words.min + i * words.step).toFixed(2));
    return { value: String(value), label: describeValue(slider, { ...policy, [slider]: value }) };
  });
}

export function describeEffect(slider: Slider, policy: InteractionPolicy): string {
  const words = sliders[slider];
  const value = policy[slider];
  if (words.kind === 'choice') {
    return words.choices.find((choice) => choice.value === value)?.does ?? words.about;
  }
  if (slider === 'probing_depth') {
    return value === 0 ? 'I list my assumptions instead' : 'Before planning; I list what I assume';
  }
  if (Number(value) < 0.3) return 'Brief';
  return Number(value) >= 0.7 ? 'Everything' : 'What you need';
}

/** `From now on, Style is Concise.` */
export function confirmPolicy(
  policy: InteractionPolicy,
  changed: object,
  lasting: boolean,
): string {
  const set = sliderNames
    .filter((slider) => slider in changed)
    .map((slider) => `${sliders[slider].label} is ${describeValue(slider, policy)}`);
  return `${lasting ? 'From now on' : 'In this conversation'}, ${listOf(set)}.`;
}
