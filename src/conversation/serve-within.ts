// Restricts the service to one organisation.
import { conversationNotFound } from '#db/chat/messages.ts';
import { runNotFound } from '#db/planning/runs.ts';
import { planNotFound } from '#db/plans/rows.ts';
import type { ConversationReader } from '#domain/chat/conversation-list.ts';
import type { CountersignError } from '#domain/errors.ts';
import type { PlanScope, ScopedSubject } from '#domain/plan/scope.ts';
import type { Service } from '#domain/service.ts';

/** First argument's subject; `stream`: answers in parts; `own`: the caller's things; `commit`: a change checked here. */
type Subject =
  | 'plan'
  | 'plan stream'
  | 'run'
  | 'conversation'
  | 'conversation stream'
  | 'own'
  | 'commit';

type Special =
  | 'isWithin'
  | 'startRun'
  | 'propose'
  | 'checkProposal'
  | 'previewProposal'
  | 'proposeBuild'
  | 'checkPlaybookRun'
  | 'listRecurring'
  | 'changeRecurring'
  | 'listPlans'
  | 'inbox'
  | 'watchInbox'
  | 'stats'
  | 'listConversations'
  | 'trace'
  | 'once';

/** Unlisted methods don't compile. */
const subjects: Record<Exclude<keyof Service, Special>, Subject> = {
  getRun: 'run',
  reply: 'run',
  runCard: 'run',
  stopRun: 'run',
  decideRun: 'run',
  runTrace: 'run',
  activityIn: 'conversation',
  say: 'conversation',
  isAbout: 'conversation',
  isSpokenIn: 'conversation',
  messages: 'conversation',
  watchConversation: 'conversation stream',
  getPolicy: 'own',
  conversationPolicies: 'own',
  setPolicy: 'own',
  listMemory: 'own',
  keepMemory: 'own',
  editMemory: 'own',
  forgetMemory: 'own',
  personOf: 'own',
  noteName: 'own',
  shownNames: 'own',
  link: 'own',
  // A new plan, in no conversation.
  checkMarkdown: 'own',
  findOperations: 'own',
  findForms: 'own',
  getOperation: 'own',
  suggestValues: 'own',
  readBuild: 'own',
  changeBuild: 'own',
  readStepEdit: 'plan',
  changeStepEdit: 'plan',
  previewBuild: 'own',
  listPlaybooks: 'own',
  getPlaybook: 'own',
  removePlaybook: 'own',
  savePlaybook: 'plan',
  commit: 'commit',
  getPlan: 'plan',
  overview: 'plan',
  diff: 'plan',
  listSteps: 'plan',
  listPartitions: 'plan',
  findSteps: 'plan',
  groups: 'plan',
  forecast: 'plan',
  getSteps: 'plan',
  stepChain: 'plan',
  previewSteps: 'plan',
  card: 'plan',
  approve: 'plan',
  checkApproval: 'plan',
  reject: 'plan',
  proposeChanges: 'plan',
  cancel: 'plan',
  goBack: 'plan',
  pause: 'plan',
  resume: 'plan',
  markFailed: 'plan',
  patch: 'plan',
  checkPatch: 'plan',
  listPatches: 'plan',
  listFindings: 'plan',
  raiseFinding: 'plan',
  settleFinding: 'plan',
  listArtifacts: 'plan',
  readArtifact: 'plan',
  listRequests: 'plan',
  retry: 'plan',
  simulate: 'plan',
  exportMarkdown: 'plan stream',
  exportLog: 'plan stream',
  exportCalendar: 'plan',
  audit: 'plan',
  versionDiff: 'plan',
  planning: 'plan',
  watchPlan: 'plan stream',
};

type Method = (...args: unknown[]) => unknown;

function notFound(subject: ScopedSubject): CountersignError {
  if ('plan_id' in subject) return planNotFound(subject.plan_id);
  return 'run_id' in subject
    ? runNotFound(subject.run_id)
    : conversationNotFound(subject.conversation);
}

/** For participants only. */
const unsaid = { entries: [], reason: null, open_calls: [] };

/** @param scope null for the whole instance @param reader over HTTP: only their conversations */
export function serveWithin(
  service: Service,
  scope: PlanScope | null,
  reader?: ConversationReader,
): Service {
  /** @throws `plan_not_found`, `run_not_found`, `not_found`, as if nonexistent */
  async function check(subject: ScopedSubject): Promise<void> {
    if (!(await service.isWithin(scope, subject, reader))) throw notFound(subject);
  }
  const within = scope === null ? {} : { within: scope };
  const checkConversation = async (conversation: string | undefined): Promise<void> => {
    if (conversation !== undefined) await check({ conversation });
  };

  function narrow(name: string, subject: Subject): Method {
    const call: Method = (...args) => Reflect.apply(Reflect.get(service, name), service, args);
    switch (subject) {
      case 'own':
      case 'commit':
        return call;
      case 'plan':
        return async (id, ...rest) => {
          await check({ plan_id: String(id) });
          return call(id, ...rest);
        };
      case 'run':
        return async (id, ...rest) => {
          await check({ run_id: String(id) });
          return call(id, ...rest);
        };
      case 'conversation':
        return async (id, ...rest) => {
          await check({ conversation: String(id) });
          return call(id, ...rest);
        };
      case 'plan stream':
        return async function* (id, ...rest) {
          await check({ plan_id: String(id) });
          yield* call(id, ...rest) as AsyncIterable<unknown>; // as its subject says
        };
      case 'conversation stream':
        return async function* (id, ...rest) {
          await check({ conversation: String(id) });
          for await (const batch of call(id, ...rest) as AsyncIterable<unknown>) {
            // May have become another organisation's.
            await check({ conversation: String(id) });
            yield batch;
          }
        };
      default:
        return subject satisfies never;
    }
  }

  const narrowed = Object.entries(subjects).map(([name, subject]) => [name, narrow(name, subject)]);
  return {
    ...service,
    ...Object.fromEntries(narrowed),
    async startRun(request, actor, options) {
      await checkConversation(request.conversation);
      return service.startRun(request, actor, options);
    },
    async propose(draft, options, actor) {
      await checkConversation(options.conversation);
      return service.propose(draft, options, actor);
    },
    async checkProposal(draft, options, actor) {
      await checkConversation(options.conversation);
      return service.checkProposal(draft, options, actor);
    },
    async previewProposal(draft, options, viewer, actor) {
      await checkConversation(options.conversation);
      return service.previewProposal(draft, options, viewer, actor);
    },
    async proposeBuild(options, viewer, actor) {
      await checkConversation(options.conversation);
      return service.proposeBuild(options, viewer, actor);
    },
    async checkPlaybookRun(name, values, options, actor) {
      await checkConversation(options.conversation);
      return service.checkPlaybookRun(name, values, options, actor);
    },
    async trace(id) {
      await check({ plan_id: id });
      const trace = await service.trace(id);
      const isIn = await service.isWithin(scope, { plan_id: id, words: true }, reader);
      return isIn ? trace : { ...trace, ...unsaid };
    },
    listRecurring: (query) => service.listRecurring({ ...query, ...within }),
    changeRecurring: (id, change, query, actor) =>
      service.changeRecurring(id, change, { ...query, ...within }, actor),
    listPlans: (filter) => service.listPlans({ ...filter, ...within }),
    inbox: (query) => service.inbox({ ...query, ...within }),
    watchInbox: (query, signal) => service.watchInbox({ ...query, ...within }, signal),
    stats: (leastPeople) => service.stats(leastPeople, scope ?? undefined),
    listConversations: (query) =>
      service.listConversations({ ...query, ...within, ...(reader && { reader }) }),
    once: (request, checkFirst, work) =>
      service.once(request, checkFirst, (joined, checked) =>
        work(serveWithin(joined, scope, reader), checked),
      ),
  };
}
