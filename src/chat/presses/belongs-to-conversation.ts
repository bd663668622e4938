// Whether a card belongs to the conversation in which it was pressed. A press that came from elsewhere decides nothing.
import type { AnyPress } from '#domain/chat/press.ts';
import type { Service } from '#domain/service.ts';

/** @throws `plan_not_found`, `run_not_found` */
export function belongsToConversation(
  service: Service,
  conversation: string,
  press: AnyPress,
): Promise<boolean> {
  return service.isAbout(conversation, press);
}
