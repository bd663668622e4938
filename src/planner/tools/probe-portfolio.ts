// probe_portfolio: compares the schedule with other commitments. Read-only.
import type { PortfolioPage, PortfolioQuery } from '#db/plans/portfolio.ts';
import { errorMessage } from '#domain/errors.ts';
import { JsonValue } from '#domain/text.ts';
import { countOf, shorten } from '#domain/words.ts';
import { defineTool, noArguments } from '../define-tool.ts';
import { type BusyReport, type BusyTime, readCalendars } from '../schedule/busy.ts';
import { probeTimes } from '../schedule/probe-times.ts';
import { fail, type Tool, type ToolContext } from '../tool.ts';

export type OtherPlans = (query: PortfolioQuery) => Promise<PortfolioPage>;

export type ProbePortfolioOptions = {
  otherPlans: OtherPlans;
  calendars?: typeof readCalendars;
};

/** Milliseconds after the last block to search for room. */
const roomMs = 14 * 86_400_000;

export function createProbePortfolio({
  otherPlans,
  calendars = readCalendars,
}: ProbePortfolioOptions): Tool<Record<string, never>> {
  return defineTool({
    name: 'probe_portfolio',
    description:
      'Compares people’s times in the schedule with their other plans and calendars: conflicts, how full the time is, and when there is room.',
    input: noArguments,
    stages: ['VALIDATE_SCHEDULE'],
    prerequisites: ['schedule'],
    produces: ['portfolio'],
    // Calendars and other plans change on their own.
    revision: 3,
    async execute(_, toolContext) {
      const { outline, roadmap, schedule } = toolContext.state;
      if (outline === null || roadmap === null || schedule === null)
        return { result: fail('There is no schedule to compare.') };
      const people = [...new Set(schedule.blocks.flatMap(({ person }) => person ?? []))];
      const { starts_at, ends_at } = schedule;
      if (people.length === 0 || starts_at === null || ends_at === null) {
        const portfolio = { conflicts: [], utilisation: null, looked_at: [], unread: [] };
        const explanations = ['The schedule takes nobody’s time.'];
        return {
          result: { ok: true, confidence: 1, explanations, data: portfolio },
          changes: { portfolio },
          heuristics: 1,
        };
      }
      const window = {
        from: Math.min(Date.parse(starts_at), toolContext.now.getTime()),
        to: Date.parse(ends_at) + roomMs,
      };
      const [events, plans] = await Promise.all([
        calendars({ ...toolContext, timezone: toolContext.state.timezone }, people, window),
        readPlans(otherPlans, people, window, toolContext),
      ]);
      const times = probeTimes({ outline, roadmap, schedule, now: toolContext.now.getTime() }, [
        ...events.busy,
        ...plans.busy,
      ]);
      const portfolio = {
        ...times,
        looked_at: [...plans.looked_at, ...events.looked_at],
        unread: [...plans.unread, ...events.unread],
      };
      const { length } = times.conflicts;
      return {
        result: {
          ok: true,
          confidence: Math.max(0, 1 - 0.1 * length - 0.05 * portfolio.unread.length),
          explanations: [
            length === 0 ? 'Nothing overlaps.' : `${countOf(length, 'conflict')}.`,
            ...portfolio.unread,
          ],
          data: JsonValue.parse(portfolio),
        },
        changes: { portfolio },
        heuristics: Math.max(0, 1 - 0.25 * length),
      };
    },
  });
}

async function readPlans(
  otherPlans: OtherPlans,
  people: string[],
  window: { from: number; to: number },
  { state, signal }: ToolContext,
): Promise<BusyReport> {
  try {
    const { blocks, more } = await otherPlans({
      people,
      from: new Date(window.from),
      to: new Date(window.to),
      exceptRun: state.run_id,
    });
    return {
      busy: blocks.map(
        (block): BusyTime => ({
          from: block.starts_at.getTime(),
          to: block.ends_at.getTime(),
          with: `${block.plan_id}: ${shorten(block.node_title, 200)}`,
          source: 'plan',
          person: block.person,
        }),
      ),
      looked_at: ['other plans'],
      unread: more ? ['Other plans: too many times to read them all.'] : [],
    };
  } catch (error) {
    if (signal.aborted) throw error;
    return {
      busy: [],
      looked_at: [],
      unread: [shorten(`Other plans: ${errorMessage(error)}`, 500)],
    };
  }
}
