// Parts of the cards that only Teams has: text in runs, which know no markup, and actions that come back to us. Pure.
import { escapeMacros } from '#cards/escape.ts';
import type { Drawn } from '#cards/expand.ts';

type RunLook = {
  weight?: 'bolder';
  size?: 'large' | 'small';
  isSubtle?: boolean;
  color?: 'attention' | 'good' | 'warning';
};

export function makeLine(text: string, look: RunLook = {}, spacing = 'small'): Drawn {
  const inlines = [{ type: 'TextRun', text: escapeMacros(text), ...look }];
  return { type: 'RichTextBlock', spacing, inlines };
}

export function makeAction(title: string, verb: string, data: object, more: object = {}): Drawn {
  return { type: 'Action.Execute', title, verb, data, ...more };
}

export function makeCard(body: Drawn[], actions: Drawn[], fallbackText: string): Drawn {
  return {
    type: 'AdaptiveCard',
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    version: '1.5',
    fallbackText,
    body,
    actions,
  };
}
