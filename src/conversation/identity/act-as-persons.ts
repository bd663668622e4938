// Whoever asks the service for something does it as the person their account belongs to, whatever the surface.
import type { Actor } from '#contracts/actor.ts';
import type { Service } from '#contracts/service.ts';

/** The service with accounts in the place of persons; `link` alone is about accounts themselves. */
export function actAsPersons(service: Service): Service {
  const { personOf } = service;
  const as = async (actor: Actor): Promise<Actor> =>
    actor.kind === 'person' ? { ...actor, id: await personOf(actor.id) } : actor;
  const seenBy = async (viewer: { user: string; timezone: string }) =>
    // Nobody in particular is nobody's account.
    viewer.user === '' ? viewer : { ...viewer, user: await personOf(viewer.user) };
  const named = async <T extends { user?: string | undefined }>(options: T): Promise<T> =>
    options.user === undefined ? options : { ...options, user: await personOf(options.user) };

  return {
    ...service,
    startRun: async (request, actor) => service.startRun(await named(request), await as(actor)),
    reply: async (runId, text, actor, ...rest) =>
      service.reply(runId, text, await as(actor), ...rest),
    runCard: async (runId, viewer) => service.runCard(runId, await seenBy(viewer)),
    decideRun: async (runId, choice, actor) => service.decideRun(runId, choice, await as(actor)),
    say: async (conversation, text, actor, ...rest) =>
      service.say(conversation, text, await as(actor), ...rest),
    getPolicy: async (user) => service.getPolicy(await personOf(user)),
    saidPolicies: async (user) => service.saidPolicies(await personOf(user)),
    waitingFor: async (user) => service.waitingFor(await personOf(user)),
    setPolicy: async (user, change, actor) =>
      service.setPolicy(await personOf(user), change, await as(actor)),
    propose: async (draft, options, actor) =>
      service.propose(draft, await named(options), await as(actor)),
    listPlans: async (filter) => service.listPlans(await named(filter)),
    card: async (id, viewer) => service.card(id, await seenBy(viewer)),
    approve: async (id, approval, actor) => service.approve(id, approval, await as(actor)),
    reject: async (id, decision, actor) => service.reject(id, decision, await as(actor)),
    proposeChanges: async (id, decision, actor) =>
      service.proposeChanges(id, decision, await as(actor)),
    cancel: async (id, decision, actor) => service.cancel(id, decision, await as(actor)),
    pause: async (id, decision, actor) => service.pause(id, decision, await as(actor)),
    resume: async (id, settlement, actor) => service.resume(id, settlement, await as(actor)),
    patch: async (id, change, actor) => service.patch(id, change, await as(actor)),
    retry: async (id, decision, actor) => service.retry(id, decision, await as(actor)),
    simulate: async (id, decision, actor) => service.simulate(id, decision, await as(actor)),
    importMarkdown: async (markdown, actor) => service.importMarkdown(markdown, await as(actor)),
  };
}
