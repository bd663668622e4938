// A message of the bot as Teams shows it: the card drawn by the official renderer, with a host configuration like Teams' own.
import { readFileSync } from 'node:fs';
import { teamsFonts } from './fonts.ts';

const renderer = readFileSync(
  new URL(import.meta.resolve('adaptivecards/dist/adaptivecards.min.js')),
  'utf8',
);
const icon = readFileSync(new URL('../../adapters/teams/package/color.png', import.meta.url));
const logo = `data:image/png;base64,${icon.toString('base64')}`;

export const teamsWidth = 600;

type Scheme = 'light' | 'dark';
type Colors = Record<
  'page' | 'card' | 'edge' | 'quiet' | 'ask' | 'text' | 'subtle' | 'brand',
  string
>;

/** Fluent's colours, as Teams uses them. */
const colors: Record<Scheme, Colors> = {
  light: {
    page: '#f5f5f5',
    card: '#ffffff',
    edge: '#e0e0e0',
    quiet: '#f5f5f5',
    ask: '#fdf6e9',
    text: '#242424',
    subtle: '#616161',
    brand: '#5b5fc7',
  },
  dark: {
    page: '#1f1f1f',
    card: '#292929',
    edge: '#3d3d3d',
    quiet: '#1f1f1f',
    ask: '#3a2f1b',
    text: '#ffffff',
    subtle: '#adadad',
    brand: '#7f85f5',
  },
};

const tones: Record<Scheme, Record<'accent' | 'good' | 'warning' | 'attention', string>> = {
  light: { accent: '#5b5fc7', good: '#13a10e', warning: '#8a5a00', attention: '#c4314b' },
  dark: { accent: '#9299f7', good: '#54b054', warning: '#faa06b', attention: '#e37d80' },
};

function makeHostConfig(scheme: Scheme) {
  const { card, quiet, ask, text, subtle, edge } = colors[scheme];
  const tone = (color: string) => ({ default: color, subtle: color });
  const palette = {
    default: { default: text, subtle },
    dark: { default: text, subtle },
    light: { default: card, subtle: card },
    ...Object.fromEntries(
      Object.entries(tones[scheme]).map(([name, color]) => [name, tone(color)]),
    ),
  };
  const container = (backgroundColor: string) => ({ backgroundColor, foregroundColors: palette });
  return {
    supportsInteractivity: true,
    fontFamily: '"Open Sans", "DejaVu Sans", Signs, sans-serif',
    fontSizes: { small: 12, default: 14, medium: 14, large: 18, extraLarge: 24 },
    fontWeights: { lighter: 300, default: 400, bolder: 600 },
    lineHeights: { small: 16, default: 20, medium: 20, large: 24, extraLarge: 32 },
    spacing: { none: 0, small: 8, default: 12, medium: 16, large: 20, extraLarge: 24, padding: 16 },
    separator: { lineThickness: 1, lineColor: edge },
    containerStyles: {
      default: container(card),
      emphasis: container(quiet),
      accent: container(quiet),
      good: container(quiet),
      warning: container(ask),
      attention: container(ask),
    },
    actions: {
      maxActions: 6,
      spacing: 'default',
      buttonSpacing: 8,
      showCard: { actionMode: 'inline', style: 'emphasis', inlineTopMargin: 12 },
      actionsOrientation: 'horizontal',
      actionAlignment: 'left',
      allowTitleToWrap: true,
    },
    inputs: {
      label: {
        inputSpacing: 'small',
        requiredInputs: { weight: 'default', suffix: ' *', color: 'default' },
        optionalInputs: { weight: 'default', color: 'default' },
      },
      errorMessage: { spacing: 'small', color: 'attention' },
    },
    adaptiveCard: { allowCustomStyle: false },
  };
}

/** A page that draws the card as soon as it is loaded. @param open the title of a button to press, to show what it opens */
export function drawTeamsPage(card: unknown, scheme: Scheme, open: string | null = null): string {
  const { page, card: ground, edge, text, subtle, brand } = colors[scheme];
  const data = JSON.stringify({ card, config: makeHostConfig(scheme), open });
  return `<!doctype html><meta charset="utf-8"><style>${teamsFonts}
    body { margin: 0; padding: 16px; box-sizing: border-box; width: 100%; background: ${page}; color: ${text};
      font: 14px/20px "Open Sans", "DejaVu Sans", Signs, sans-serif; }
    .who { display: flex; gap: 8px; font-size: 12px; color: ${subtle}; margin: 0 0 6px 40px; }
    .row { display: flex; gap: 8px; align-items: flex-start; }
    .row > img { width: 32px; height: 32px; border-radius: 6px; }
    #card { flex: 1; min-width: 0; background: ${ground}; border: 1px solid ${edge}; border-radius: 6px;
      box-shadow: 0 1px 2px rgba(0,0,0,.14); overflow: hidden; }
    .ac-pushButton { font: 600 14px/20px "Open Sans", sans-serif; padding: 5px 12px; border-radius: 4px;
      border: 1px solid ${scheme === 'dark' ? '#666' : '#d1d1d1'}; background: ${ground}; color: ${text}; }
    .ac-pushButton.style-positive { background: ${scheme === 'dark' ? '#4f52b2' : brand}; border-color: transparent; color: #fff; }
    .ac-pushButton.expanded { background: ${page}; }
    .ac-input { font: inherit; color: inherit; background: ${ground}; border: 1px solid ${scheme === 'dark' ? '#666' : '#d1d1d1'};
      border-bottom-color: ${scheme === 'dark' ? '#adadad' : '#616161'}; border-radius: 4px; padding: 5px 10px; box-sizing: border-box; }
    textarea.ac-input { min-height: 56px; resize: none; }
    a { color: ${tones[scheme].accent}; }
  </style><body><p class="who"><b>Countersign</b> 15:10</p>
  <div class="row"><img src="${logo}"><div id="card"></div></div>
  <script>${renderer}</script>
  <script>
    const { card, config, open } = ${data.replaceAll('<', '\\u003c')};
    AdaptiveCards.AdaptiveCard.onProcessMarkdown = () => {};
    const drawn = new AdaptiveCards.AdaptiveCard();
    drawn.hostConfig = new AdaptiveCards.HostConfig(config);
    drawn.parse(card);
    document.getElementById('card').append(drawn.render());
    for (const button of document.querySelectorAll('button')) if (button.textContent === open) button.click();
  </script></body>`;
}
