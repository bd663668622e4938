// Resolves the account behind each service call to its person.
import type { Actor } from '#domain/people/actor.ts';
import type { Service } from '#domain/service.ts';

type Role<T> = T extends Actor
  ? 'actor'
  : T extends { user: string; timezone: string }
    ? 'viewer'
    : T extends { user?: string | undefined }
      ? 'named' | 'requester' | 'as it is'
      : T extends string
        ? 'account' | 'as it is'
        : 'as it is';

/** Including optional arguments, so that a new one doesn't compile without a role. */
type Roles<A extends unknown[]> = { [I in keyof A]: Role<A[I]> };

type TakesActor = {
  [K in keyof Service]: Actor extends Parameters<Service[K]>[number] ? K : never;
}[keyof Service];

/** Only `link` is about accounts themselves. */
type Mapped =
  | Exclude<TakesActor, 'link'>
  | 'runCard'
  | 'card'
  | 'getPolicy'
  | 'conversationPolicies'
  | 'inbox'
  | 'listConversations'
  | 'listPlans'
  | 'listRecurring';

const roles: { [K in Mapped]: Roles<Required<Parameters<Service[K]>>> } = {
  startRun: ['requester', 'actor', 'as it is'],
  reply: ['as it is', 'as it is', 'actor', 'as it is'],
  runCard: ['as it is', 'viewer'],
  decideRun: ['as it is', 'as it is', 'actor'],
  stopRun: ['as it is', 'as it is', 'actor'],
  say: ['as it is', 'as it is', 'actor', 'as it is'],
  getPolicy: ['account'],
  conversationPolicies: ['account'],
  inbox: ['named'],
  listConversations: ['named'],
  setPolicy: ['account', 'as it is', 'actor'],
  listMemory: ['account', 'actor'],
  keepMemory: ['account', 'as it is', 'actor'],
  editMemory: ['account', 'as it is', 'as it is', 'actor'],
  forgetMemory: ['account', 'as it is', 'actor'],
  propose: ['as it is', 'requester', 'actor'],
  checkProposal: ['as it is', 'requester', 'actor'],
  previewProposal: ['as it is', 'requester', 'viewer', 'actor'],
  findOperations: ['as it is', 'as it is', 'actor'],
  findForms: ['as it is', 'as it is', 'actor'],
  getOperation: ['as it is', 'actor'],
  suggestValues: ['as it is', 'as it is', 'as it is', 'actor'],
  readBuild: ['viewer', 'actor'],
  changeBuild: ['as it is', 'viewer', 'actor'],
  readStepEdit: ['as it is', 'as it is', 'viewer', 'actor'],
  changeStepEdit: ['as it is', 'as it is', 'as it is', 'viewer', 'actor'],
  previewBuild: ['viewer', 'actor'],
  proposeBuild: ['as it is', 'viewer', 'actor'],
  listPlaybooks: ['actor'],
  getPlaybook: ['as it is', 'actor'],
  savePlaybook: ['as it is', 'as it is', 'actor'],
  removePlaybook: ['as it is', 'actor'],
  checkPlaybookRun: ['as it is', 'as it is', 'requester', 'actor'],
  listRecurring: ['named'],
  changeRecurring: ['as it is', 'as it is', 'named', 'actor'],
  listPlans: ['named'],
  card: ['as it is', 'viewer'],
  approve: ['as it is', 'as it is', 'actor'],
  markFailed: ['as it is', 'as it is', 'actor'],
  checkApproval: ['as it is', 'as it is', 'actor'],
  reject: ['as it is', 'as it is', 'actor'],
  proposeChanges: ['as it is', 'as it is', 'actor'],
  cancel: ['as it is', 'as it is', 'actor'],
  goBack: ['as it is', 'as it is', 'actor'],
  pause: ['as it is', 'as it is', 'actor'],
  resume: ['as it is', 'as it is', 'actor'],
  patch: ['as it is', 'as it is', 'actor'],
  checkPatch: ['as it is', 'as it is', 'actor'],
  retry: ['as it is', 'as it is', 'actor'],
  raiseFinding: ['as it is', 'as it is', 'actor'],
  settleFinding: ['as it is', 'as it is', 'as it is', 'actor'],
  simulate: ['as it is', 'as it is', 'actor'],
  checkMarkdown: ['as it is', 'actor'],
};

/** A refused caller does nothing. @param personOf for those only named or viewed */
export function actAsPersons(
  service: Service,
  personOf: (account: string) => Promise<string>,
): Service {
  type Named = { user?: string; imported?: object };
  const named = async (options: Named, find = personOf) =>
    options.user === undefined ? options : { ...options, user: await find(options.user) };
  const put: Record<string, (value: never) => unknown> = {
    account: personOf,
    actor: async (actor: Actor) =>
      actor.kind === 'person' ? { ...actor, id: await service.personOf(actor.id) } : actor,
    viewer: async (viewer: { user: string }) =>
      viewer.user === '' ? viewer : { ...viewer, user: await personOf(viewer.user) },
    named: (options: Named) => named(options),
    // An agent acts for its owner, who may be refused. An operator may import anyone's plans.
    requester: (options: Named) =>
      named(options, options.imported === undefined ? service.personOf : personOf),
  };

  const mapped = Object.entries(roles).map(([method, known]: [string, readonly string[]]) => {
    const act = async (...args: unknown[]): Promise<unknown> => {
      const given = args.map((value, at) => put[known[at] ?? '']?.(value as never) ?? value);
      return Reflect.apply(Reflect.get(service, method), service, await Promise.all(given));
    };
    return [method, act];
  });
  return { ...service, ...Object.fromEntries(mapped) };
}
