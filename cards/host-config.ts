// A theme for the official renderer, as plain JSON.

type Color = { default: string; subtle: string };
type Palette = Record<'default' | 'accent' | 'good' | 'warning' | 'attention', Color>;

function foreground(palette: Palette) {
  return { ...palette, dark: palette.default, light: palette.default };
}

function container(backgroundColor: string, palette: Palette) {
  return { backgroundColor, foregroundColors: foreground(palette) };
}

function makeHostConfig(palette: Palette, surface: Record<'card' | 'quiet' | 'ask', string>) {
  return {
    supportsInteractivity: true,
    fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
    fontSizes: { small: 13, default: 14, medium: 15, large: 18, extraLarge: 22 },
    fontWeights: { lighter: 400, default: 400, bolder: 600 },
    lineHeights: { small: 18, default: 20, medium: 22, large: 24, extraLarge: 28 },
    spacing: { none: 0, small: 4, default: 8, medium: 16, large: 20, extraLarge: 28, padding: 16 },
    separator: { lineThickness: 1, lineColor: surface.quiet },
    containerStyles: {
      default: container(surface.card, palette),
      emphasis: container(surface.quiet, palette),
      accent: container(surface.quiet, palette),
      good: container(surface.quiet, palette),
      warning: container(surface.ask, palette),
      attention: container(surface.ask, palette),
    },
    actions: {
      maxActions: 6,
      spacing: 'medium',
      buttonSpacing: 8,
      showCard: { actionMode: 'inline', style: 'emphasis', inlineTopMargin: 12 },
      preExpandSingleShowCardAction: false,
      actionsOrientation: 'horizontal',
      actionAlignment: 'left',
      allowTitleToWrap: true,
    },
    inputs: {
      label: {
        inputSpacing: 'small',
        requiredInputs: { weight: 'bolder', size: 'small', suffix: '', color: 'default' },
        optionalInputs: { weight: 'bolder', size: 'small', color: 'default' },
      },
      errorMessage: { spacing: 'small', size: 'small', color: 'attention', weight: 'default' },
    },
    adaptiveCard: { allowCustomStyle: false },
  };
}

const light = makeHostConfig(
  {
    default: { default: '#1f2328', subtle: '#59636e' },
    accent: { default: '#0a58ca', subtle: '#0a58ca' },
    good: { default: '#1a7f37', subtle: '#1a7f37' },
    warning: { default: '#8a5a00', subtle: '#8a5a00' },
    attention: { default: '#b3261e', subtle: '#b3261e' },
  },
  { card: '#ffffff', quiet: '#f0f2f5', ask: '#fff6e0' },
);

const dark = makeHostConfig(
  {
    default: { default: '#e6e8eb', subtle: '#a4adb8' },
    accent: { default: '#7db4ff', subtle: '#7db4ff' },
    good: { default: '#63c97c', subtle: '#63c97c' },
    warning: { default: '#e8b64c', subtle: '#e8b64c' },
    attention: { default: '#ff8f86', subtle: '#ff8f86' },
  },
  { card: '#1c2128', quiet: '#2a313a', ask: '#3a3118' },
);

export function hostConfig(scheme: 'light' | 'dark') {
  return scheme === 'dark' ? dark : light;
}
