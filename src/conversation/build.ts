// Plans built by form, stored per person until proposed.
import { headlineOf } from '#cards/calls.ts';
import type { Transaction } from '#db/database.ts';
import { type BuildOwner, deleteBuildText, readBuildText } from '#db/planning/builds.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import { foldName } from '#domain/people/names.ts';
import { advance, type Build, type BuildMove, isPlaybook, toDraft } from '#domain/plan/build.ts';
import type { Plan, PlanDraft } from '#domain/plan/plan.ts';
import type { Playbook } from '#domain/plan/playbook.ts';
import { readDraft } from '#domain/plan/templates.ts';
import type { Checked, Service } from '#domain/service.ts';
import type { ConversationContext } from '#messages/context.ts';
import { draftOfPlaybook } from '#plans/playbooks/playbooks.ts';
import { offerOf } from '#tools/operation-form.ts';
import { answerOnce } from './answer-once.ts';
import { createStepEdits } from './edit-step.ts';
import { createStoredBuilds, explainRefusal, specOf, type Viewer } from './stored-build.ts';

type Builds = Pick<
  Service,
  | 'findForms'
  | 'readBuild'
  | 'changeBuild'
  | 'readStepEdit'
  | 'changeStepEdit'
  | 'previewBuild'
  | 'proposeBuild'
>;
type Parts = Pick<
  Service,
  | 'findOperations'
  | 'getOperation'
  | 'listPlaybooks'
  | 'getPlaybook'
  | 'previewProposal'
  | 'checkProposal'
  | 'getSteps'
  | 'listSteps'
  | 'checkPatch'
> & {
  commitIn<T>(tx: Transaction, checked: Checked<T>): Promise<T>;
};

const refuse = (message: string) => new CountersignError('invalid_request', message);

/** All words in name, title or kind. */
function matchPlaybooks(playbooks: Playbook[], words: string): Playbook[] {
  const wanted = foldName(words)
    .split(' ')
    .filter((word) => word !== '');
  const has = ({ name, title }: Playbook, word: string) =>
    foldName(`playbooks ${name} ${title}`).includes(word);
  return wanted.length === 0
    ? []
    : playbooks.filter((one) => wanted.every((word) => has(one, word)));
}

export function createBuilds(context: ConversationContext, parts: Parts): Builds {
  const { db } = context;
  const stored = createStoredBuilds(context, parts);
  const { zoneFor, findForm, openText, change } = stored;
  const ownerOf = ({ tenant, id }: Actor): BuildOwner => ({ tenant: tenant ?? null, person: id });

  const read = async (viewer: Viewer, actor: Actor): Promise<Build> =>
    openText(await readBuildText(db.query, ownerOf(actor)), viewer, actor);

  /** A playbook keeps its own times. */
  async function draftOf({ plan }: Build, viewer: Viewer, title: string, actor: Actor) {
    const found = plan.steps.find(isPlaybook);
    if (found === undefined)
      return readDraft(toDraft(plan, title, viewer.timezone, zoneFor(viewer)));
    if (plan.steps.length > 1)
      throw refuse('A playbook must be the only step. Remove it or the other steps.');
    if (found.at !== '' || plan.repeats !== '')
      throw refuse('A playbook has its own times. Clear “Not before”, and let it run once.');
    const whole = await parts.getPlaybook(found.form.operation, actor);
    const values = Object.entries(found.args).map(([name, value]) => [name, String(value)]);
    const draft: PlanDraft = draftOfPlaybook(whole, Object.fromEntries(values));
    return plan.title.trim() === '' ? draft : { ...draft, title: plan.title.trim() };
  }

  const preview = async (build: Build, viewer: Viewer, actor: Actor) =>
    parts.previewProposal(
      await draftOf(build, viewer, '', actor),
      { user: viewer.user },
      viewer,
      actor,
    );

  return {
    async findForms(words, limit, actor) {
      const playbooks = matchPlaybooks(await parts.listPlaybooks(actor), words);
      const offers = playbooks.map((one) => offerOf(specOf(one), []));
      return [...offers, ...(await parts.findOperations(words, limit, actor))].slice(0, limit);
    },
    readBuild: (viewer, actor) => read(viewer, actor),

    changeBuild(changes, viewer, actor) {
      const zone = zoneFor(viewer);
      return change(changes, { owner: ownerOf(actor), viewer, actor }, async (build, one) => {
        const move: BuildMove =
          one.kind === 'choose'
            ? { kind: 'choose', form: await findForm(one.operation, actor) }
            : one;
        return { build: advance(build, move, zone) };
      });
    },

    ...createStepEdits(context, parts, stored),

    async previewBuild(viewer, actor) {
      const build = await read(viewer, actor);
      if (build.plan.steps.length === 0) return { build, facts: null, problem: null };
      try {
        return { build, facts: await preview(build, viewer, actor), problem: null };
      } catch (error) {
        return { build, facts: null, problem: explainRefusal(error) };
      }
    },

    async proposeBuild({ conversation, once }, viewer, actor) {
      const { user } = viewer;
      let text: string | null = null;
      const check = async () => {
        text = await readBuildText(db.query, ownerOf(actor));
        const build = await openText(text, viewer, actor);
        if (build.plan.steps.length === 0)
          throw new CountersignError('invalid_request', 'There are no steps yet. Add one first.');
        const call =
          build.plan.title.trim() === ''
            ? (await preview(build, viewer, actor)).steps[0]?.call
            : undefined;
        const named = call === undefined ? '' : headlineOf(call);
        const draft = await draftOf(build, viewer, named, actor);
        const origin = conversation === undefined ? { user } : { user, conversation };
        return parts.checkProposal(draft, origin, actor);
      };
      const store = (joined: ConversationContext, checked: Checked<Plan>) =>
        joined.db.transaction(async (tx) => {
          const plan = await parts.commitIn(tx, checked);
          if (text === null || !(await deleteBuildText(tx, ownerOf(actor), text)))
            throw new CountersignError(
              'stale_version',
              'This plan was changed elsewhere meanwhile. Look at it, and propose it again.',
            );
          return plan;
        });
      if (once === undefined) return store(context, await check());
      // A repeated press finds its plan.
      return (await answerOnce(context, { key: once, digest: '' }, check, store)) as Plan;
    },
  };
}
