// Teams' drawing: Adaptive Cards, which are read aloud themselves and refreshed for each reader.
import { drawAdaptiveCard, drawAdaptiveText } from '#cards/expand.ts';
import { fitCard, measureCard, platformLimits } from '#cards/limits.ts';
import { addRefresh } from '#cards/press.ts';
import { drawPlainText, drawText } from '#cards/text.ts';
import type { CardDrawing } from '#chat/outbox/draw-message.ts';

export const teamsDrawing: CardDrawing = {
  text: drawAdaptiveText,
  card(above, view) {
    const { body: textBody } = drawAdaptiveText(above);
    const card = fitCard(
      view,
      (shrunk) => {
        const drawn = drawAdaptiveCard(shrunk);
        return addRefresh({ ...drawn, body: [textBody, drawn.body].flat() }, shrunk);
      },
      (all) => measureCard(all) <= platformLimits.teams.payload,
    );
    return { card };
  },
  words: (view) => ('paragraphs' in view ? drawPlainText(view) : drawText(view)),
  readAloud: 'card',
  forReaders: true,
};
