// The pictures of what Slack shows hold what somebody has chosen, and no name over a page that nobody says.
import { expect, it } from 'vitest';
import { drawSlackPage } from '../../pictures/slack-page.ts';
import { cardStates, drawState } from '../../pictures/states.ts';

const { card } = drawState('slack', cardStates.policy);

it('draws what a menu has chosen', () => {
  const page = drawSlackPage(card, 'light', 'home');
  expect(page).not.toContain('Pick an option');
  expect(page).toContain('At most two');
});

it('draws a name over a message, and none over Home', () => {
  const nameOver = (place: 'home' | 'conversation') =>
    drawSlackPage(card, 'light', place).includes('>Countersign<');
  expect(nameOver('conversation')).toBe(true);
  expect(nameOver('home')).toBe(false);
});
