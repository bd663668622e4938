import { describe, expect, it } from 'vitest';
import type { StepDraft } from '#contracts/plan.ts';
import { PlanOutline } from '#contracts/planning/outline.ts';
import type { Gate } from '#contracts/planning/stages.ts';
import { earlierGate, routeChange } from '#planner/change-request.ts';

function outlineOf(tasks: string[], steps: (Partial<StepDraft> | null)[] = []): PlanOutline {
  const nodes = tasks.map((title, index) => {
    const step = steps[index];
    return {
      id: String(index + 1),
      parent: 'goal',
      title,
      structure: 'task',
      level: 2,
      steps:
        step === undefined || step === null
          ? []
          : [{ description: title, tool: 'reminder', operation: 'set', ...step }],
    };
  });
  return PlanOutline.parse({
    title: 'Launch',
    summary: 'The product is out.',
    pattern: { pattern_type: 'milestone_project' },
    nodes: [{ id: 'goal', title: 'Launch', structure: 'goal', level: 1 }, ...nodes],
  });
}

const launch = outlineOf([
  'Kickoff meeting',
  'Design the landing page',
  'Review with legal',
  'Write the press release',
  'Launch day',
]);

describe('a change request', () => {
  it.each<[string, Gate]>([
    // Wording, steps, content.
    ['rename the press release to announcement', 'outline'],
    ['call it “Go live” instead of “Launch day”', 'outline'],
    ['add a step to back up the database', 'outline'],
    ['also write a blog post', 'outline'],
    ['skip step 3', 'outline'],
    ['without the review', 'outline'],
    ['drop the kickoff', 'outline'],
    ['use b.txt instead of a.txt', 'outline'],
    ['the text should say Hello', 'outline'],
    ['split the design into two parts', 'outline'],
    ['write to drafts/friday.md', 'outline'],
    ['change the title to “Before Friday”', 'outline'],
    ['first add a review before the launch', 'outline'],
    ['more detail in the press release', 'outline'],
    ['assign the review to Ben', 'outline'],
    ['do the kickoff every week', 'outline'],
    ['make the kickoff a daily thing', 'outline'],
    ['it should be nicer', 'outline'],
    ['“after the launch” is missing', 'outline'],
    // Order.
    ['do the review before the design', 'roadmap'],
    ['move step 2 to the end', 'roadmap'],
    ['swap steps 2 and 3', 'roadmap'],
    ['the press release and the design in parallel', 'roadmap'],
    ['one after the other', 'roadmap'],
    ['start with the press release', 'roadmap'],
    ['the review must come last', 'roadmap'],
    ['the design depends on the kickoff', 'roadmap'],
    ['wait for the review before the launch', 'roadmap'],
    ['in a different order', 'roadmap'],
    ['launch two days after the review', 'roadmap'],
    ['start the design together with the press release', 'roadmap'],
    ['do everything else first, then the launch day', 'roadmap'],
    ['as fast as possible', 'roadmap'],
    ['more carefully', 'roadmap'],
    ['take the cautious option', 'roadmap'],
    ['step 4 before step 2', 'roadmap'],
    // Dates and durations.
    ['start on Monday', 'schedule'],
    ['move the launch to Friday 10:00', 'schedule'],
    ['not before next week', 'schedule'],
    ['everything a day later', 'schedule'],
    ['two hours earlier', 'schedule'],
    ['the review takes three days', 'schedule'],
    ['done by the 20th', 'schedule'],
    ['the deadline is 2027-03-01', 'schedule'],
    ['no work on weekends', 'schedule'],
    ['postpone the launch by a week', 'schedule'],
    ['give the design more time', 'schedule'],
    ['shorten the review to 30 minutes', 'schedule'],
    ['only in the mornings', 'schedule'],
    ['the launch after Friday', 'schedule'],
    ['at 9 instead', 'schedule'],
    ['add two days of buffer', 'schedule'],
    ['eleven days for the review', 'schedule'],
    ['sixteen days for the review', 'schedule'],
    // Several: the earliest.
    ['move the launch to Friday; skip the review', 'outline'],
    ['start on Monday. Do the review before the design.', 'roadmap'],
    ['launch on Friday and rename the kickoff to Start', 'outline'],
    ['propose changes: the review takes three days', 'schedule'],
    ['', 'outline'],
  ])('“%s” concerns the %s', (feedback, gate) => {
    expect(routeChange(feedback, launch).gate).toBe(gate);
  });

  it('gives a reason for each of its parts', () => {
    expect(routeChange('start on Monday; skip the review', launch).reasons).toEqual([
      '“start on Monday”: it is about dates or durations (schedule)',
      '“skip the review”: it takes work away or divides it (outline)',
    ]);
  });

  it('goes to the outline where a moment is what a step is given: a reminder, an event', () => {
    const reminder = outlineOf(
      ['Remind Ana to call', 'Tidy up'],
      [{ args: { text: 'call', at: '2027-01-01T10:00:00Z' } }, null],
    );
    expect(routeChange('at 11:00 instead', reminder).gate).toBe('outline');
    expect(routeChange('tidy up on Friday', reminder).gate).toBe('schedule');
    const recurring = outlineOf(['Post'], [{ args: { rrule: 'FREQ=DAILY' } }]);
    expect(routeChange('on Tuesday instead', recurring).gate).toBe('outline');
  });

  it('goes to the outline where there is none yet to speak of', () => {
    expect(routeChange('the design before the launch', null).gate).toBe('outline');
    expect(routeChange('start on Monday', null).gate).toBe('schedule');
  });

  it('is read in time however long it is', () => {
    const long = `${'the design before the launch and '.repeat(20_000)}end`;
    expect(routeChange(long, launch).gate).toBe('roadmap');
  });

  it.each([' ', '\t', '\u00a0'])('is read past a long run of blanks (%j)', (blank) => {
    const feedback = `swap 1${blank.repeat(5000)} and 2`;
    expect(routeChange(feedback, outlineOf(['Write', 'Check'])).gate).toBe('roadmap');
  });

  it.each(['漢', 'a', '-', '_', '.'])('is read past long text without blanks (%s)', (letter) => {
    const feedback = `call it ${letter.repeat(20_000)}`;
    expect(routeChange(feedback, outlineOf(['Write', 'Check'])).gate).toBe('outline');
  });

  it('prefers the earlier gate', () => {
    expect(earlierGate('schedule', 'roadmap')).toBe('roadmap');
    expect(earlierGate('outline', 'schedule')).toBe('outline');
    expect(earlierGate('roadmap', 'roadmap')).toBe('roadmap');
  });
});
