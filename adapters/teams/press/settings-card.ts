// How somebody likes to be asked and talked to, as a card that they can change. Pure.
import type { Drawn } from '#cards/expand.ts';
import { describeEffect, listChoices, sliderNames, sliders } from '#cards/policy-words.ts';
import type { InteractionPolicy } from '#contracts/policy.ts';
import { makeAction, makeCard, makeLine } from './elements.ts';
import { sliderInput, verbs } from './read-press.ts';

export function drawSettings(policy: InteractionPolicy, note: string | null): Drawn {
  const inputs = sliderNames.flatMap((slider): Drawn[] => {
    const { label, about } = sliders[slider];
    return [
      {
        type: 'Input.ChoiceSet',
        id: sliderInput(slider),
        label: `${label}: ${about}`,
        style: 'compact',
        spacing: 'medium',
        value: String(policy[slider]),
        choices: listChoices(slider, policy).map((choice) => ({
          title: choice.label,
          value: choice.value,
        })),
      },
      makeLine(describeEffect(slider, policy), { isSubtle: true, size: 'small' }, 'none'),
    ];
  });
  const said = note === null ? [] : [makeLine(note, { weight: 'bolder', color: 'good' })];
  const heading = 'How I work with you';
  return makeCard(
    [makeLine(heading, { weight: 'bolder', size: 'large' }), ...said, ...inputs],
    [makeAction('Save', verbs.settings, {}, { style: 'positive' })],
    `${heading}. Write “settings” to change it.`,
  );
}
