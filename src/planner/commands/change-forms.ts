// Forms of changes to a waiting plan, in the notation of forms.ts.
type ChangeRow = [id: string, example: string, effect: string, spellings: string];

/** Steps have the card's labels; `it` is a comment's step. */
const changeRows: ChangeRow[] = [
  [
    'remove',
    'remove step 2',
    'Removes the step.',
    'remove|delete|drop|skip step {step:step}; leave out step {step:step}; remove it; leave it out',
  ],
  [
    'before',
    'step 2 before step 1',
    'Step 1 waits for step 2.',
    '[move] step {step:step} before step {other:step}',
  ],
  [
    'after',
    'step 1 after step 2',
    'Step 1 waits for step 2.',
    '[move] step {step:step} after step {other:step}',
  ],
  [
    'one at a time',
    'do the steps one at a time',
    'Each change waits for the previous one.',
    'do [the] steps one at a time',
  ],
  [
    'checked',
    'do the steps checked',
    'Adds a check before changes that cannot be undone.',
    'do [the] steps checked',
  ],
  [
    'as said',
    'do the steps as requested',
    'Keeps only the required order.',
    'do [the] steps as requested|said',
  ],
  [
    'start',
    'step 1 on 20 December at 10:00',
    'Starts the step at that time.',
    '[start|move] step {step:step} [to] {when:time}; change [the] time of step {step:step} to {when:time}; change [the] time to {when:time}; [move] [it] [to] {when:time} [instead]',
  ],
  [
    'as soon as possible',
    'start step 1 as soon as possible',
    'Removes its start time.',
    'start step {step:step} as soon as possible',
  ],
  [
    'takes',
    'step 1 takes 2 days',
    'Sets how long it takes.',
    'step {step:step} takes {length:span}',
  ],
  ['repeat', 'every Tuesday at 9:00', 'Changes the repetition.', 'every [instead]'],
  ['until', 'until 1 June', 'Ends the repetition at that time.', 'until {limit:time}'],
  [
    'deadline',
    'move the deadline to 20 December at 17:00',
    'Sets the deadline.',
    'move|set [the] deadline to {limit:time}; move|set [the] deadline of step {step:step} to {limit:time}',
  ],
  ['no deadline', 'remove the deadline', 'Removes the deadline.', 'remove|drop [the] deadline'],
  [
    'argument',
    'step 1 text: Standup at 10:00',
    'Changes an argument of the step, by its name or as `text`, `file`, `target`, `person` or `address`; also `change text to "…"`.',
    'change [the] {key:name} of|in step {step:step} to {value:data}; change [the] {key:name} to {value:data}; step {step:step} {key:name} : {value:rest}',
  ],
  [
    'use',
    'use b.txt instead of a.txt',
    'Replaces the text everywhere in the plan.',
    'use {now:data} instead of {old:data}; change|replace {old:text} to|with|by {now:data}; change|replace {old:file} to|with|by {now:data}',
  ],
  ['name', 'call it c.md', "Renames the plan's last file.", 'call it {name:file} [instead]'],
  [
    'add',
    'add: post "done" here',
    'Adds a command in parallel, as `also …` does; with `then:`, at the end.',
    'add :; also; then',
  ],
];

export const changeForms = changeRows.map(([id, example, effect, spellings]) => ({
  ...{ id, example, effect, spellings: spellings.split('; ') },
}));
