// Whether a card belongs to the conversation in which it was pressed. A press that came from elsewhere decides nothing.
import type { AnyPress } from '#contracts/press.ts';
import type { Service } from '#contracts/service.ts';

export async function concerns(
  service: Service,
  conversation: string,
  press: AnyPress,
): Promise<boolean> {
  if ('plan_id' in press) {
    const plan = await service.getPlan(press.plan_id);
    if (plan.conversation === conversation) return true;
  }
  // A plan may have been shown where it was not made, and a session is known by what was said in it.
  for (let after = 0; ; ) {
    const page = await service.messages(conversation, { after, limit: 200 });
    const shown = page.some((message) =>
      'plan_id' in press ? message.plan_id === press.plan_id : message.run_id === press.run_id,
    );
    const last = page.at(-1);
    if (shown || last === undefined) return shown;
    after = last.id;
  }
}
