// The person's words about order and times as the arguments that the planning tools take.
import { OutlineNode, type PlanOutline } from '#contracts/planning/outline.ts';
import type { RoadmapWay } from '#contracts/planning/roadmap.ts';
import { JsonObject } from '#contracts/text.ts';
import { openWorkingTime } from '#timeline/working-time.ts';
import { withoutAddedCheckpoints } from '../roadmap/added-checkpoints.ts';
import { collectEdges } from '../roadmap/collect-edges.ts';
import { readOperations } from '../roadmap/operations.ts';
import { indexOutline } from '../roadmap/outline-index.ts';
import { OrderEditor } from './apply-links.ts';
import type { OfflineTask } from './end-stage.ts';
import { createNodeFinder } from './find-node.ts';
import { readRequestWish, readWish } from './preference.ts';
import { readDateTiming } from './read-date-timing.ts';
import { readDateChanges } from './read-dates.ts';
import { readOrderChange } from './read-order-change.ts';
import { readTiming } from './read-timing.ts';

type Edge = { id: string; type: string; lag_minutes: number };

/** `outline` as generate_nodes takes it: precedence in words becomes edges, and questions where it cannot be read. */
export function settleTiming(
  outline: JsonObject,
  { state: { now, timezone }, request }: OfflineTask,
): { args: JsonObject; questions: string[] } {
  const written = Array.isArray(outline.nodes)
    ? outline.nodes.map((one) => JsonObject.parse(one))
    : [];
  const nodes = written.map(({ id, parent, title, structure, rhythm, after }) =>
    OutlineNode.parse({
      ...{ id, parent, title, structure, rhythm, level: 1 },
      after: (Array.isArray(after) ? after : []).map((edge) =>
        typeof edge === 'string' ? { id: edge } : edge,
      ),
    }),
  );
  const index = indexOutline({ nodes });
  const finder = createNodeFinder(index);
  const more = new Map<string, Edge[]>();
  const dates = new Map<string, object>();
  const questions: string[] = [];
  written.forEach(({ id, title, timing }, place) => {
    if (typeof timing !== 'string' || timing === '' || typeof id !== 'string') return;
    const reading = readTiming(timing, place, finder);
    if (reading.kind === 'read') {
      for (const { from, to, type, lag_minutes } of reading.links)
        more.set(to, [...(more.get(to) ?? []), { id: from, type, lag_minutes }]);
      return;
    }
    const date = readDateTiming(timing, new Date(now), timezone);
    if (date === null) questions.push(`About “${String(title)}”: ${reading.text}`);
    else dates.set(id, date);
  });
  const settled = written.map(({ timing: _, ...node }, place) => {
    const id = nodes[place]?.id ?? '';
    const after = [...(Array.isArray(node.after) ? node.after : []), ...(more.get(id) ?? [])];
    return { ...node, after, ...(dates.get(id) ?? {}) };
  });
  const preferences = readPreferences(request.text);
  return { args: JsonObject.parse({ ...outline, nodes: settled, preferences }), questions };
}

const hours =
  /\b(?:during|in|within|outside) (?:(?:my|our|the|his|her|their|working|office|business) )+hours\b/i;

/** How the request wants the work done as a whole; null: it does not say. */
export function readPreferences(
  request: string,
): { order: RoadmapWay | null; in_working_hours: boolean | null } | null {
  const order = readRequestWish(request);
  const in_working_hours = hours.test(request) ? true : null;
  return order === null && in_working_hours === null ? null : { order, in_working_hours };
}

export type OrderFeedback = {
  edges: { from: string; to: string; type: string; lag_minutes: number; remove: boolean }[];
  prefer: RoadmapWay | null;
  questions: string[];
};

/** What the feedback wants changed about the order of `outline`. */
export function readOrderFeedback(outline: PlanOutline, feedback: string): OrderFeedback {
  const before = withoutAddedCheckpoints(outline);
  const { changes, rest, unclear } = readOrderChange(
    feedback,
    createNodeFinder(indexOutline(before)),
  );
  const editor = new OrderEditor(before);
  for (const change of changes) editor.apply(change, feedback);
  const [old, now] = [statedEdges(before), statedEdges(editor.outline)];
  const key = ({ from, to, type, lag_minutes }: OrderFeedback['edges'][number]) =>
    JSON.stringify([from, to, type, lag_minutes]);
  const [had, has] = [new Set(old.map(key)), new Set(now.map(key))];
  const unread = rest
    .filter((words) => readWish(words) === null)
    .map(
      (words) =>
        `“${words.slice(0, 200)}” says no order I can read. Say it as “X before Y”, “X last” or “X and Y in parallel”: which?`,
    );
  return {
    edges: [
      ...old.filter((edge) => !has.has(key(edge))).map((edge) => ({ ...edge, remove: true })),
      ...now.filter((edge) => !had.has(key(edge))),
    ],
    prefer: readWish(feedback),
    questions: [...unclear, ...unread],
  };
}

function statedEdges(outline: PlanOutline): OrderFeedback['edges'] {
  return collectEdges(outline)
    .edges.filter(({ why }) => why === 'stated')
    .map(({ why: _, ...edge }) => ({ ...edge, remove: false }));
}

/** What the feedback wants changed about times, as generate_schedule takes it. */
export function readTimeFeedback(
  feedback: string,
  { state, tools, request }: OfflineTask,
): { args: JsonObject; questions: string[] } {
  const { outline, schedule, now, timezone } = state;
  if (outline === null) return { args: {}, questions: [] };
  const operations = readOperations(tools.manifest());
  const profile = schedule?.profile;
  const workday = profile === undefined ? 480 : openWorkingTime(profile, timezone).longest / 60_000;
  const people = new Set(
    outline.nodes.flatMap(({ id, steps }) =>
      steps.some((step) => operations.asksPerson(step)) ? [id] : [],
    ),
  );
  const read = readDateChanges(feedback, {
    outline,
    schedule,
    now: new Date(now),
    timezone,
    workday: (node) => (people.has(node) && workday > 0 ? workday : null),
  });
  const args = {
    changes: read.changes,
    work_on: read.days_on,
    rest_on: read.days_off,
    in_working_hours: hours.test(request.text) ? true : null,
  };
  return { args: JsonObject.parse(JSON.parse(JSON.stringify(args))), questions: read.questions };
}
