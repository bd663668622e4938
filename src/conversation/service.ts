// Assembles the service behind every surface.
import { refusalWords } from '#cards/decision-words.ts';
import { readAudit } from '#db/audit/audit.ts';
import { keepReadable } from '#db/chat/conversation-readers.ts';
import { listConversations } from '#db/chat/conversations.ts';
import { isSpokenIn } from '#db/chat/messages.ts';
import { noteRunRead } from '#db/chat/shown.ts';
import { type Commit, joinTransaction, type Transaction } from '#db/database.ts';
import { listRequests } from '#db/people/data-requests.ts';
import {
  readEveryName,
  readNamesOf,
  readPerson,
  readShown,
  readTenantOf,
} from '#db/people/identities.ts';
import { readArtifacts } from '#db/planning/artifacts.ts';
import { readActivity, readRun, readRunView, toRunView, updateRun } from '#db/planning/runs.ts';
import { listArtifacts, loadArtifacts } from '#db/plans/artifacts.ts';
import { listFindings, readFinding, toFinding } from '#db/plans/findings.ts';
import { listPatches } from '#db/plans/patches.ts';
import { listPlans, readPlan, readPlanRow } from '#db/plans/plans.ts';
import { readPlanStats } from '#db/plans/stats.ts';
import { readLabels } from '#db/steps/pages.ts';
import { countMatches } from '#db/steps/partitions.ts';
import type { Pressed } from '#domain/chat/card.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { Plan } from '#domain/plan/plan.ts';
import type { Checked, Service } from '#domain/service.ts';
import { actOnce } from '#messages/act-once.ts';
import type { ConversationContext } from '#messages/context.ts';
import { speakAsBot } from '#messages/store-message.ts';
import { listRecurring, prepareRecurring } from '#notices/recurring.ts';
import { actAsPersons } from '#people/act-as-persons.ts';
import { link } from '#people/link.ts';
import { editMemory, forgetMemory, keepMemory, listMemory } from '#people/memory.ts';
import { createNoteName, nameRequesters } from '#people/people-named.ts';
import { getPolicy, readConversationPolicies, setPolicy } from '#people/policy.ts';
import { letIn } from '#plans/authority/refused.ts';
import { type Origin, preparePropose } from '#plans/change/propose.ts';
import { diffVersions } from '#plans/change/version-diff.ts';
import { simulatePlan } from '#plans/content/simulate.ts';
import { receiveFinding } from '#plans/findings/receive.ts';
import { findingNotFound, findingSettlement } from '#plans/findings/settle.ts';
import { decide } from '#plans/lifecycle/decide.ts';
import {
  draftOfPlaybook,
  getPlaybook,
  listPlaybooks,
  removePlaybook,
  savePlaybook,
} from '#plans/playbooks/playbooks.ts';
import { readForecast } from '#plans/views/forecast.ts';
import { readGroups } from '#plans/views/groups.ts';
import { exportLog } from '#plans/views/log.ts';
import { readStepChain } from '#plans/views/step-chain.ts';
import { readStepPreviews } from '#plans/views/step-previews.ts';
import {
  getPlanSteps,
  listPlanPartitions,
  listPlanSteps,
  readOverview,
  readPlanDiff,
} from '#plans/views/views.ts';
import { storeWithinLimits } from '#runs/person-limits.ts';
import { emptyTrace, readRunTrace } from '#runs/planning-trace.ts';
import { isAbout } from '#runs/plans-at-hand.ts';
import { answerOnce } from './answer-once.ts';
import { createBuilds } from './build.ts';
import { readInbox } from './inbox.ts';
import { createLivePlans } from './live-plans.ts';
import { createOperationForms, previewProposal } from './operation-forms.ts';
import { readCardFacts } from './plan-card.ts';
import * as decisions from './plan-decisions.ts';
import { addRepeats } from './plan-times.ts';
import { isSubjectWithin, readWithin } from './plans-within.ts';
import { readRunCard } from './session-card.ts';
import { decideRun } from './session-decisions.ts';
import { stopPlanning } from './stop-planning.ts';
import { startRunOnce } from './talk/handle-decision.ts';
import { replyToRun, say } from './talk/say.ts';
import { createPlanWatch, listMessages, watchConversation } from './watch.ts';
import { createInboxWatch } from './watch-inbox.ts';

/** Loaded on first use; rarely needed. */
const loadMarkdown = () => import('#plans/views/markdown.ts');

class CheckedChange<T> implements Checked<T> {
  readonly stores?: T;
  readonly commit: Commit<T>;
  constructor(commit: Commit<T>) {
    this.commit = commit;
  }
}

function commitIn<T>(tx: Transaction, checked: Checked<T>): Promise<T> {
  if (!(checked instanceof CheckedChange)) throw new TypeError('commit: made by no check');
  const { commit }: CheckedChange<T> = checked;
  return commit(tx);
}

export function createService(context: ConversationContext): Service {
  const { db } = context;
  const shelf = { query: db.query, timezone: context.timezone };
  const watchInbox = createInboxWatch(context);
  const livePlans = createLivePlans(db);
  const watchPlan = createPlanWatch(context);
  /** Pressed in a chat, it is deduplicated. */
  function decidePlan<D extends { pressed?: Pressed }>(
    check: (
      context: ConversationContext,
      id: string,
      decision: D,
      actor: Actor,
    ) => Promise<Commit<Plan>>,
  ) {
    return (id: string, decision: D, actor: Actor): Promise<Plan> =>
      actOnce(
        context,
        decision.pressed,
        () => check(context, id, decision, actor),
        () => readPlan(db.query, id),
      );
  }
  const originOf = (
    { user, conversation, imported }: Parameters<Service['checkProposal']>[1],
    { kind, id }: Actor,
  ): Origin => ({
    requester: user ?? id,
    conversation: conversation ?? null,
    runId: null,
    agent: kind === 'model' ? id : null,
    planner: kind === 'model' ? id : 'proposed directly',
    executorModel: context.executorModel,
    confidence: null,
    costUsd: 0,
    ...(imported === undefined ? {} : { imported }),
  });
  const catalogueOf = async (id: string) => context.catalogue.of(await readTenantOf(db.query, id));
  const service: Service = {
    startRun: (request, actor, { once } = {}) => startRunOnce(context, request, actor, once),
    async getRun(id, reader) {
      const run = await readRunView(db.query, id);
      if (reader !== undefined && run.planning_status !== 'running')
        await noteRunRead(db.query, id, reader, run.turn);
      return run;
    },
    reply: (runId, text, actor, { pressed, ...options } = {}) =>
      actOnce(
        context,
        pressed,
        async () => (tx) =>
          replyToRun({ ...context, db: joinTransaction(db, tx) }, runId, text, actor, options),
        async () => {},
      ),
    runCard: (runId, viewer) => readRunCard(context, runId, viewer),
    decideRun: (runId, choice, actor) =>
      actOnce(
        context,
        choice.pressed,
        () => decideRun(context, runId, choice, actor),
        async () => toRunView(await readRun(db.query, runId)),
      ),
    async stopRun(runId, turn, actor) {
      const stop = await stopPlanning(context, runId, turn ?? null, actor);
      return db.transaction(async (tx) => {
        const says = await stop(tx);
        const { conversation, plan_id: planId } = await readRun(tx, runId);
        const message = await speakAsBot(context, tx, { conversation, says, planId });
        await updateRun(tx, runId, { response_message: message });
        return toRunView(await readRun(tx, runId));
      });
    },
    activityIn: async (conversation) =>
      (await readActivity(db.query, conversation))?.planning ?? null,
    say: (conversation, text, actor, options) => say(context, conversation, text, actor, options),
    isAbout: (conversation, subject) => isAbout(db.query, conversation, subject),
    isSpokenIn: (conversation) => isSpokenIn(db.query, conversation),
    messages: (conversation, options) => listMessages(db.query, conversation, options),
    isWithin: (scope, subject, reader) => isSubjectWithin(context, scope, subject, reader),
    async listConversations({ user, within, reader, ...page }) {
      const names = user === undefined ? null : await readEveryName(db.query, user);
      const found = { ...page, names, tenant: within?.tenant ?? null };
      const { conversations, next_cursor } = await listConversations(db.query, found);
      if (reader === undefined) return { conversations, next_cursor };
      const ids = conversations.map(({ id }) => id);
      const readable = await keepReadable(db.query, ids, reader);
      const shown = conversations.map((one) =>
        readable.has(one.id) ? one : { ...one, title: '' },
      );
      return { conversations: shown, next_cursor };
    },
    getPolicy: (user) => getPolicy(db.query, user),
    conversationPolicies: (user) => readConversationPolicies(context, user),
    setPolicy: (user, change, actor) => setPolicy(context, user, change, actor),
    listMemory: (user, actor) => listMemory(context, user, actor),
    keepMemory: (user, note, actor) => keepMemory(context, user, note, actor),
    editMemory: (user, id, note, actor) => editMemory(context, user, id, note, actor),
    forgetMemory: (user, id, actor) => forgetMemory(context, user, id, actor),

    propose: async (draft, options, actor) =>
      service.commit(await service.checkProposal(draft, options, actor)),
    async checkProposal(draft, options, actor) {
      const origin = originOf(options, actor);
      const store = await preparePropose(context, draft, origin, actor);
      // An importing operator has no limits.
      if (options.imported !== undefined) return new CheckedChange(store);
      return new CheckedChange((tx) => storeWithinLimits(tx, context, origin.requester, store));
    },
    previewProposal: (draft, options, viewer, actor) =>
      previewProposal(context, draft, originOf(options, actor), viewer, actor),
    ...createOperationForms(context),
    ...createBuilds(context, {
      getOperation: (name, actor) => service.getOperation(name, actor),
      findOperations: (...given) => service.findOperations(...given),
      getPlaybook: (name, actor) => service.getPlaybook(name, actor),
      listPlaybooks: (actor) => service.listPlaybooks(actor),
      previewProposal: (...given) => service.previewProposal(...given),
      checkProposal: (...given) => service.checkProposal(...given),
      getSteps: (...given) => service.getSteps(...given),
      listSteps: (...given) => service.listSteps(...given),
      checkPatch: (...given) => service.checkPatch(...given),
      commitIn,
    }),
    listPlaybooks: (actor) => listPlaybooks(shelf, [actor]),
    getPlaybook: (name, actor) => getPlaybook(shelf, name, [actor]),
    savePlaybook: (id, playbook, actor) => savePlaybook(context, id, playbook, actor),
    removePlaybook: (name, actor) => removePlaybook(context, name, actor),
    checkPlaybookRun: async (name, values, options, actor) => {
      const draft = draftOfPlaybook(await getPlaybook(shelf, name, [actor]), values);
      return service.checkProposal(draft, options, actor);
    },
    listRecurring: (query) => listRecurring(db.query, query),
    changeRecurring: async (id, change, query, actor) => {
      const { before, commit } = await prepareRecurring(context, id, change, query, actor);
      return { before, ...(await db.transaction(commit)) };
    },
    commit: (checked) => db.transaction((tx) => commitIn(tx, checked)),
    async listPlans({ user, within: scope, ...filter }) {
      const within = scope === undefined ? {} : { within: await readWithin(context, scope) };
      const names = user === undefined ? null : await readNamesOf(db.query, [user]);
      const asked = names === null ? {} : { requesters: names.map(({ name }) => name) };
      const { plans, next_cursor } = await listPlans(db.query, { ...filter, ...asked, ...within });
      return {
        plans: await nameRequesters(service, await addRepeats(db.query, plans)),
        next_cursor,
      };
    },
    async inbox({ within: scope, ...query }) {
      const within = scope === undefined ? null : await readWithin(context, scope);
      return readInbox(context, livePlans, query, within);
    },
    stats: async (leastPeople, scope) =>
      readPlanStats(
        db.query,
        scope === undefined ? null : await readWithin(context, scope),
        leastPeople,
      ),
    getPlan: (id) => readPlan(db.query, id),
    overview: (id) => readOverview(db.query, id),
    diff: (id, since, limit, compact = false) => readPlanDiff(db.query, id, since, limit, compact),
    listSteps: async (id, filter) =>
      listPlanSteps(db.query, await catalogueOf(id), id, filter, context.clock.now()),
    listPartitions: async (id, page) =>
      listPlanPartitions(db.query, await catalogueOf(id), id, page),
    async findSteps(id, words) {
      await readPlanRow(db.query, id);
      return countMatches(db.query, id, words);
    },
    groups: (id, options) => readGroups(db.query, id, options, context.clock.now()),
    forecast: (id, stepIds) => readForecast(db.query, id, stepIds, context.clock.now()),
    getSteps: async (id, stepIds) => getPlanSteps(db.query, await catalogueOf(id), id, stepIds),
    stepChain: (id, stepId) => readStepChain(db.query, id, stepId),
    previewSteps: async (id, ids) => readStepPreviews(db.query, await catalogueOf(id), id, ids),
    card: (id, viewer) => readCardFacts(context, id, viewer),

    approve: decidePlan(decisions.approve),
    checkApproval: async (id, approval, actor) =>
      new CheckedChange(await decisions.approve(context, id, approval, actor)),
    reject: decidePlan(decisions.reject),
    proposeChanges: decidePlan(decisions.proposeChanges),
    cancel: decidePlan(decisions.cancel),
    goBack: decidePlan(decisions.goBack),
    pause: decidePlan(decisions.pause),
    resume: decidePlan(decisions.resume),
    retry: decidePlan(decisions.retry),
    markFailed: decidePlan(decisions.markFailed),
    patch: async (id, change, actor) => service.commit(await service.checkPatch(id, change, actor)),
    checkPatch: async (id, change, actor) =>
      new CheckedChange(await decisions.patch(context, id, change, actor)),
    async listPatches(id, options) {
      await readPlanRow(db.query, id);
      return listPatches(db.query, id, options);
    },
    async listFindings(id, options) {
      await readPlanRow(db.query, id);
      const page = await listFindings(db.query, id, options);
      const ids = page.findings.flatMap(({ step_id }) => step_id ?? []);
      const labels = await readLabels(db.query, id, ids);
      const findings = page.findings.map((finding) => {
        const label = labels.get(finding.step_id ?? '');
        return label === undefined ? finding : { ...finding, step_label: label };
      });
      return { ...page, findings };
    },
    async raiseFinding(id, finding, actor) {
      if (actor.kind === 'person') await decisions.refreshDeciders(context, id);
      return db.transaction((tx) => receiveFinding(context, tx, id, finding, actor));
    },
    async settleFinding(id, finding, action, actor) {
      await decisions.refreshDeciders(context, id);
      const settle = await decide(db, findingSettlement(context, id, finding, action, actor));
      const take = await decisions.takeSuggestion(context, id, finding, action, actor);
      await db.transaction(async (tx) => {
        if ((await settle(tx)) !== null) await take?.(tx);
      });
      const settled = await readFinding(db.query, id, finding);
      if (settled === null) throw findingNotFound(id, finding);
      return toFinding(settled);
    },
    async listArtifacts(id, options) {
      await readPlanRow(db.query, id);
      return listArtifacts(db.query, id, options);
    },
    async readArtifact(id, artifact) {
      await readPlanRow(db.query, id);
      const found = (await loadArtifacts(db.query, id, [artifact])).get(artifact);
      if (found !== undefined) return found;
      throw new CountersignError('not_found', `${id} has no artifact ${artifact}.`);
    },
    async listRequests(id) {
      await readPlanRow(db.query, id);
      return listRequests(db.query, id);
    },
    async simulate(id, { version }) {
      const row = await readPlanRow(db.query, id);
      if (version !== undefined && version !== row.version) {
        throw new CountersignError(
          'stale_version',
          refusalWords.otherVersion({ asked: version, current: row.version }),
          {
            details: { current: { version: row.version, digest: row.digest, status: row.status } },
          },
        );
      }
      return simulatePlan(context, id);
    },

    async *exportMarkdown(id) {
      const { exportMarkdown } = await loadMarkdown();
      yield* exportMarkdown(db.query, id);
    },
    async checkMarkdown(markdown, actor) {
      const { readMarkdown } = await loadMarkdown();
      return service.checkProposal(await readMarkdown(markdown), {}, actor);
    },
    async exportCalendar(id) {
      const { exportCalendar } = await import('#plans/views/calendar.ts');
      const { timezone, clock } = context;
      return exportCalendar(db.query, id, { timezone, link: context.linkTo(id), now: clock.now() });
    },
    async *exportLog(id) {
      await readPlanRow(db.query, id);
      yield* exportLog(db.query, id);
    },
    async trace(id) {
      const { run_id, planner_model } = await readPlanRow(db.query, id);
      if (run_id === null) return emptyTrace(planner_model);
      const trace = await readRunTrace(db.query, await readRun(db.query, run_id));
      return { ...trace, planner: planner_model };
    },
    runTrace: async (id) => readRunTrace(db.query, await readRun(db.query, id)),
    async audit(id, options) {
      await readPlanRow(db.query, id);
      return readAudit(db.query, id, options);
    },
    versionDiff: (id, a, b) => diffVersions(db.query, id, a, b),
    async planning(id) {
      const { version } = await readPlanRow(db.query, id);
      return readArtifacts(db.query, id, version);
    },
    watchInbox: ({ within: scope }, signal) => watchInbox(scope, signal),
    watchPlan,
    watchConversation: (conversation, after, signal) =>
      watchConversation(context, conversation, after, signal),
    once: (request, check, work) =>
      answerOnce(context, request, check, (joined, checked) =>
        work(createService(joined), checked),
      ),
    personOf: (account) => letIn(db.query, context, account),
    noteName: createNoteName(context),
    shownNames: (names) => readShown(db.query, names),
    async link(command, actor) {
      await service.personOf(actor.id);
      return link(context, command, actor);
    },
  };
  return actAsPersons(service, (account) => readPerson(db.query, account));
}
