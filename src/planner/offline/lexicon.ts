// The words the offline planner knows: verbs, politeness, and words that bind or forbid.

/** Verbs that begin an instruction the planner has a reading for. */
const workVerbs = [
  'add',
  'append',
  'announce',
  'archive',
  'ask',
  'assign',
  'broadcast',
  'cat',
  'change',
  'clone',
  'copy',
  'cp',
  'create',
  'del',
  'delete',
  'destroy',
  'empty',
  'clear',
  'clear out',
  'clean out',
  'discard',
  'display',
  'do',
  'download',
  'draft',
  'duplicate',
  'echo',
  'enumerate',
  'erase',
  'fetch',
  'find',
  'generate',
  'get',
  'give',
  'have',
  'have a look at',
  'get rid of',
  'list',
  'look at',
  'ls',
  'make',
  'message',
  'mkdir',
  'move',
  'mv',
  'new',
  'notify',
  'open',
  'overwrite',
  'patch',
  'pause',
  'ping',
  'post',
  'prepare',
  'prepend',
  'print',
  'produce',
  'publish',
  'purge',
  'put',
  'read',
  'record',
  'relocate',
  'remind',
  'remove',
  'rename',
  'replace',
  'request',
  'rm',
  'run',
  'save',
  'say',
  'schedule',
  'search',
  'send',
  'set',
  'set up',
  'share',
  'show',
  'sleep',
  'store',
  'summarise',
  'summarize',
  'tell',
  'throw away',
  'touch',
  'transfer',
  'trash',
  'unlink',
  'use',
  'view',
  'wait',
  'wipe',
  'write',
  'jot down',
  'write down',
  'call',
  'check',
  'invoke',
  'plan',
  'note down',
];

/** Verbs of things people ask for that tools may or may not be able to do. */
const otherVerbs = [
  'analyse',
  'analyze',
  'answer',
  'approve',
  'arrange',
  'book',
  'build',
  'buy',
  'calculate',
  'cancel',
  'clean',
  'close',
  'commit',
  'compile',
  'compose',
  'compute',
  'configure',
  'connect',
  'convert',
  'count',
  'debug',
  'deploy',
  'describe',
  'design',
  'email',
  'encrypt',
  'execute',
  'explain',
  'export',
  'extract',
  'file',
  'fill',
  'fix',
  'format',
  'forward',
  'google',
  'help',
  'hire',
  'import',
  'install',
  'invite',
  'launch',
  'merge',
  'modify',
  'mail',
  'multiply',
  'negotiate',
  'order',
  'paint',
  'pay',
  'phone',
  'play',
  'prioritise',
  'prioritize',
  'pull',
  'push',
  'query',
  'rebuild',
  'recommend',
  'refund',
  'register',
  'release',
  'reply',
  'report',
  'reserve',
  'restart',
  'restore',
  'review',
  'rewrite',
  'scan',
  'sell',
  'shut',
  'sign',
  'simulate',
  'solve',
  'sort',
  'start',
  'stop',
  'subtract',
  'sum',
  'sync',
  'teach',
  'test',
  'text',
  'toggle',
  'train',
  'translate',
  'trigger',
  'turn',
  'uninstall',
  'unzip',
  'update',
  'upload',
  'validate',
  'watch',
  'zip',
  'gzip',
  'compress',
  'divide',
  'edit',
  'append',
  'insert',
  'link',
  'relate',
  'measure',
];

function withGerund(verb: string): [string, string][] {
  const [head = '', ...tail] = verb.split(' ');
  const rest = tail.length > 0 ? ` ${tail.join(' ')}` : '';
  const doubled = /^(get|put|set|cat|run)$/.test(head) ? head + head.at(-1) : head;
  const stem = /[^e]e$/.test(head) ? head.slice(0, -1) : doubled;
  return [
    [verb, verb],
    [`${stem}ing${rest}`, verb],
  ];
}

const work = new Map(workVerbs.flatMap(withGerund));
const all = new Map([...otherVerbs, ...workVerbs].flatMap(withGerund));

export type LeadVerb = { verb: string; rest: string; known: boolean };

/** The verb `text` begins with, up to four words long, in its base form. */
export function readLeadVerb(
  text: string,
  extra: ReadonlySet<string> = new Set(),
): LeadVerb | null {
  const head = text.trimStart().slice(0, 80);
  const words =
    head.match(/^[\p{L}][\p{L}'-]*(?:\s+[\p{L}][\p{L}'-]*){0,3}/u)?.[0].split(/\s+/) ?? [];
  for (let count = words.length; count > 0; count -= 1) {
    const phrase = words.slice(0, count).join(' ').toLowerCase();
    const verb = all.get(phrase) ?? (extra.has(phrase) ? phrase : undefined);
    if (verb === undefined) continue;
    const pattern = new RegExp(
      `^\\s*${words.slice(0, count).join('\\s+')}(?![\\p{L}\\p{N}./-])`,
      'u',
    );
    const match = text.match(pattern);
    if (!match) continue;
    return {
      verb,
      rest: text.slice(match[0].length).trim(),
      known: work.has(phrase) || extra.has(phrase),
    };
  }
  return null;
}

const politePrefix = new RegExp(
  `^(?:${[
    '@?countersign\\b[,:]?',
    'please\\b,?',
    'pls\\b,?',
    'kindly\\b',
    '(?:hey|hi|hello|hallo)\\b(?:\\s+(?:there|bot|countersign))?[,.!]+',
    '(?:hey|hi|hello)\\s+(?=(?:can|could|would|please)\\b)',
    '(?:ok|okay|alright|right|well|so|now|great|thanks|thank you)\\b[,.!]\\s*',
    '(?:ok|okay|now|just|also|simply|quickly|finally|lastly|additionally|first(?:ly)?|second(?:ly)?|third(?:ly)?|next|then|afterwards?|after (?:that|this))\\b,?(?=\\s)',
    '(?:could|can|would|will)\\s+you\\b(?:\\s+(?:please|kindly|maybe|perhaps|just|also))*(?:\\s+mind)?,?',
    "(?:i(?:'d| would)? (?:like|want|need)|i wish)(?:\\s+for)?(?:\\s+you)?\\s+to\\b",
    '(?:we|you|i)\\s+(?:need|have|want|ought)\\s+to\\b',
    '(?:you|we)\\s+(?:should|must|can|could)\\b',
    "(?:it would be (?:nice|great|good)|i(?:'d| would) (?:appreciate|be glad)(?: it)?) if you (?:could|would)\\b",
    "let(?:'s|’s| us)\\b",
    'go ahead and\\b',
    'be so kind (?:as )?to\\b',
    'help me(?: to)?\\b',
    '(?:make sure|be sure|remember|try|start|begin)(?: (?:to|that you|you|by))\\b',
    "(?:don['’]?t|do not) forget to\\b",
    'your (?:task|job) is to\\b',
    'and\\b',
  ].join('|')})\\s*`,
  'i',
);

/** Removes what is said only to be polite from the beginning of an instruction. */
export function stripPoliteness(text: string): string {
  let current = text.trim();
  for (let round = 0; round < 12; round += 1) {
    const next = current.replace(politePrefix, '').trimStart();
    if (next === current || next === '') return current;
    current = next;
  }
  return current;
}

const closing =
  '(?:please|pls|thanks|thank you|thx|cheers|will you|would you|if you can|asap|right away)';
const closingAnywhere = new RegExp(`[,\\s]+${closing}\\s*[.!?]*\\s*$`, 'i');
const closingAfterComma = new RegExp(`\\s*,\\s*${closing}\\s*[.!?]*\\s*$`, 'i');

/** Removes thanks and please from the end. Where text is dictated, only after a comma: "saying thank you" says it. */
export function stripClosing(text: string): string {
  const dictated = /\b(?:saying|says|containing|contains|with|reading|post|say|tell|text)\b/i.test(
    text,
  );
  return text.replace(dictated ? closingAfterComma : closingAnywhere, '').trimEnd();
}

export const prohibition =
  /^(?:but\s+)?(?:please\s+)?(?:do\s+not|don['’]?t|never|avoid|you (?:must|should) not)\b(?!\s+forget)/i;
export const condition =
  /(?:^|[,;]\s*|\band\s+)(if|unless|whenever|until|in case|as soon as|provided(?: that)?|while)\s+\S|(?:^|[,;]\s*)(when)\s+(?!that['’]?s|you['’]re)\S|\s(if|unless|whenever|until|in case|as soon as|provided that|only when)\s+(?=\S+\s)/i;
export const pronoun =
  /^(?:it|that|this|them|they|those|these|both(?: of them)?|all of (?:them|it)|(?:that|this|the|those|these|the same|the new|both)\s+(?:files?|documents?|notes?|ones?))$/i;
/** What a request that speaks about files in general says instead of a path. */
export const fileNoun =
  /^(?:(?:a|an|the|some|another|one|new|text|empty|blank|markdown|plain|simple|small|short|my|our|two|three|four|five|six|seven|eight|nine|ten|\d+|these|following|separate|different)\s+)*(?:files?|documents?|docs?|notes?|memos?)$/i;
