// Phrases about style and questions, what each sets, and how it is confirmed. A phrase must match a whole piece of the text,
// after politeness and words about time are removed.
import { defaultPolicy, type PolicyOverride } from '#domain/people/policy.ts';

export type Phrase = {
  pattern: RegExp;
  sets: PolicyOverride;
  /** After "I": what is different now. */
  says: string;
  /**
   * Where it may stand behind a request: after a comma or "and" (`clause`), as a sentence of its own (`sentence`), or
   * not at all (null), since there it would be about the work.
   */
  tail: 'clause' | 'sentence' | null;
};

type Tail = Phrase['tail'];

const you = '(?:your (?:answers?|replies|messages|responses|texts?))';
const keepYours = `(?:keep|make) ${you}`;
const degree =
  '(?:(?:as|very|really|quite|a (?:bit|little)|a lot|much|more|somewhat|just|nice and) )*';
const short =
  '(?:brief|briefer|briefly|short|shorter|concise|concisely|terse|tersely|succinct|succinctly|to the point|crisp|snappy)';
const eachStep = '(?:every|each) (?:single )?(?:step|action|change|thing|operation)';
const stages = '(?:(?:every|each|the) )?(?:milestones?|stages?|phases?)';

function phrase(tail: Tail, sets: PolicyOverride, says: string, ...forms: string[]): Phrase {
  return { pattern: new RegExp(`^(?:${forms.join('|')})$`), sets, says, tail };
}

function depthOf(depth: number, words: string): Phrase {
  return phrase(
    'clause',
    { probing_depth: depth },
    `ask at most ${words}`,
    `(?:ask )?(?:me )?(?:only |just |at most |no more than |not more than |max(?:imum)? |up to )+(?:${depth}|${words.split(' ')[0]}) questions?(?: at most| only| max(?:imum)?)?`,
    `(?:ask )?(?:me )?(?:${depth}|${words.split(' ')[0]}) questions? (?:at most|only|max(?:imum)?)`,
  );
}

const phrases: Phrase[] = [
  // How much is said. Behind a request "keep it short" is about what is to be written.
  phrase(
    'sentence',
    { conversation_style: 'concise', talkativeness: 0.2 },
    'keep it brief',
    `(?:be|stay|answer|reply|respond|speak|talk to me) ${degree}${short}`,
    `${keepYours} ${degree}${short}`,
    `(?:give me |use |only )?(?:short|shorter|brief|concise) (?:answers|replies|messages|responses)(?: only)?`,
    'less (?:talk|talking|chatter|chat|verbosity|words)|fewer words|less wordy',
    '(?:be|sound) (?:a (?:bit|little) )?less (?:chatty|verbose|wordy|talkative|long-winded|detailed)',
    'no (?:chatter|chit-?chat|fluff|waffle|waffling|rambling|essays|long (?:answers|texts|explanations|messages))',
    'do not (?:ramble|waffle|chat|talk so much|write so much|explain so much|explain everything)|do not be (?:so |too )?(?:chatty|verbose|wordy|long-winded|talkative)',
    '(?:you are|that is|this is|it is) (?:too|so|way too) (?:chatty|verbose|wordy|long-winded|talkative)',
    'cut the (?:chatter|fluff|chat|waffle|small talk)|get to the point|spare me the details',
  ),
  phrase(
    null,
    { conversation_style: 'concise', talkativeness: 0.2 },
    'keep it brief',
    `(?:keep|make) (?:it|this|that|things) ${degree}(?:${short}|simple)`,
    `${short}|briefly|in short|short version|tl;?dr|less detail|fewer details|skip the (?:details|explanations)`,
    '(?:that is|this is|it is|that was) (?:too|way too) (?:long|much(?: text| detail)?)',
  ),
  phrase(
    'sentence',
    { conversation_style: 'standard', talkativeness: 0.9 },
    'give more detail',
    '(?:be|answer|reply|explain) (?:(?:a (?:bit|little)|much) )?(?:more )?(?:detailed|thorough|thoroughly|verbose|elaborate|explicit|expansive|in (?:more )?detail)',
    `(?:give me |use )?(?:long|longer|fuller|more detailed|detailed) (?:answers|replies|messages|explanations)`,
    '(?:be|sound) (?:a (?:bit|little) )?less (?:brief|terse|short|curt)|do not be (?:so |too )?(?:brief|terse|short|curt)',
    'you are (?:too|so|way too) (?:brief|terse|short|curt)',
  ),
  phrase(
    null,
    { conversation_style: 'standard', talkativeness: 0.9 },
    'give more detail',
    '(?:a (?:bit|little) |some |much )?more details?|(?:give|show) me (?:(?:all|some|a (?:bit|little)) )?(?:the |more )+details?|with (?:more|all the) details?|in more detail|explain more',
    'more (?:verbose|detailed|thorough|explanation|explanations)|(?:that|this) is too (?:short|brief|terse)',
  ),
  phrase(
    'sentence',
    { conversation_style: 'conversational', talkativeness: 0.8 },
    'talk more freely',
    `(?:be|sound|talk) ${degree}(?:chatty|chattier|talkative|conversational)`,
    '(?:be )?more (?:chatty|talkative|conversational)|conversational|chattier|talk more|talk to me more',
  ),
  phrase(
    'clause',
    { conversation_style: 'coach', talkativeness: 0.8 },
    'explain each step as we go',
    '(?:walk|talk|take|lead|guide) me through(?: (?:it|this|that|them|everything|the plan|(?:every|each|all the) steps?))?(?: (?:slowly|step by step|in detail|one by one))?',
    '(?:guide|coach|teach) me(?: (?:on|with|in) (?:it|this|that))?(?: step by step)?|hold my hand|be (?:my|a) coach|coach mode',
    'explain (?:(?:it|this|that|everything|things|yourself) )?(?:(?:to me|step by step|as you go(?: along)?|along the way) ?)+',
    'explain (?:what you (?:do|are doing)|your reasoning|your thinking|(?:every|each) step|the reasons|the why|why)(?: (?:as you go|step by step|to me))?',
  ),
  phrase(
    'sentence',
    {
      conversation_style: defaultPolicy.conversation_style,
      talkativeness: defaultPolicy.talkativeness,
      tone: defaultPolicy.tone,
    },
    'talk as usual',
    '(?:be |go |talk |get )?(?:back to )?normal(?:ly)?(?: again| style| mode)?|(?:the |your )?(?:usual|normal|default|standard) style|(?:talk )?as usual|(?:talk|be) (?:like|as) (?:before|usual)',
  ),
  phrase(
    null,
    defaultPolicy,
    'use the settings I began with',
    '(?:reset|forget|clear) (?:all )?(?:my|the|your) (?:settings|preferences|style|policy)|(?:back to|use) (?:the )?(?:default|original) (?:settings|preferences)',
  ),

  // Questions and what is decided without them.
  phrase(
    'clause',
    { probing_depth: 0 },
    'ask nothing, and note what I assume',
    'ask (?:me )?(?:nothing|no (?:more )?questions|no more)|(?:absolutely )?no (?:more |further )?questions(?: asked)?|without (?:any |asking )?questions|without asking(?: me)?(?: anything)?',
    '(?:do not|never) ask(?: me)?(?: (?:anything|questions|any(?: more)? questions|for (?:details|anything)|again|back|at all|any more|anymore))*',
    '(?:stop|quit) (?:asking|questioning)(?: me)?(?: (?:questions|so much|so many questions|things))?|no need to ask(?: me)?(?: anything)?',
  ),
  phrase(
    'clause',
    { probing_depth: 1 },
    'ask one question at most',
    '(?:ask )?(?:me )?fewer questions|ask (?:me )?(?:a (?:bit|little) )?less|(?:do not|not) (?:ask )?(?:so|too) many questions|less questions',
    '(?:only )?ask (?:me )?(?:only )?(?:if|when|what) (?:you )?(?:really |absolutely )?(?:must|have to|need to|is necessary|it is necessary|necessary)',
  ),
  depthOf(1, 'one question'),
  depthOf(2, 'two questions'),
  depthOf(3, 'three questions'),
  phrase(
    'clause',
    { probing_depth: 3 },
    'ask more',
    'ask (?:me )?(?:(?:a few|some|many|lots of|a lot of|plenty of|all (?:the|your)|as many|more) )*(?:more )?questions(?: (?:as|that|if|when) you (?:need|like|want|wish)(?: to)?)?',
    'ask (?:me )?(?:a lot |much )?more|ask (?:me )?(?:everything|anything|whatever|all) (?:that )?(?:you (?:need|want|like)(?: to know)?)(?: first)?|question me|quiz me|interview me',
    '(?:always )?ask (?:me )?(?:if|when|whenever|where) (?:you are |anything is |something is |it is |in )?(?:ever )?(?:unsure|not sure|uncertain|in doubt|doubt|unclear)',
  ),
  phrase(
    'clause',
    { autonomy: 'low', probing_depth: 3 },
    'ask before I assume anything',
    '(?:do not|never) (?:assume|guess)(?: (?:anything|things|too much|so much))?|assume nothing|no (?:assumptions|guessing|guesses|guesswork)|stop (?:assuming|guessing)(?: things)?',
    'ask (?:me )?(?:first|before (?:you )?(?:assume|assuming|guess|guessing|decide|deciding|do|doing)(?: (?:anything|things|something))?)',
  ),
  phrase(
    'clause',
    { autonomy: 'high', probing_depth: 0 },
    'decide what is left open, and note it',
    'just do it(?: yourself)?|do it yourself|(?:just )?(?:get it done|get on with it|go for it)(?: yourself)?|just go|no hand-?holding',
    '(?:you )?(?:can )?(?:just )?decide(?: (?:that|it|this|everything|the rest|all (?:that|of it)))?(?: (?:for )?yourself| on your own| for me)?',
    'use your (?:own )?(?:best )?(?:judge?ment|discretion|head|common sense)|(?:do )?(?:as|what(?:ever)?) you (?:see fit|like|please|prefer|want|think (?:is )?(?:best|right)|think)|whatever works(?: best)?',
    'figure it out(?: yourself)?|work it out yourself|(?:that|it) is up to you|up to you|your (?:call|choice)|i trust you(?:r judge?ment)?|i leave (?:it|that|the rest|the details) to you',
    'assume (?:what(?:ever)?|anything|everything) you (?:need|must|have to|like|want)|do not bother me(?: with (?:it|that|details|the details|questions))?|leave me out of it|be (?:more )?(?:autonomous|independent|proactive|self-reliant)',
  ),
  phrase(
    'sentence',
    { autonomy: 'medium', probing_depth: defaultPolicy.probing_depth },
    'ask what matters',
    'ask (?:me )?(?:what matters|only what matters|the (?:important|essential) (?:things|questions)|as usual|normally)',
  ),

  // Ideas and options.
  phrase(
    'clause',
    { brainstorming_preference: 'always_offer' },
    'offer options',
    '(?:always )?(?:give|show|offer|suggest|propose|present|let me have|bring)(?: me| us)? (?:(?:always|some|a few|several|two|three|more|different|your) )*(?:options|alternatives|choices|variants|ideas|suggestions)(?: (?:first|to choose from|each time|every time))?',
    '(?:i (?:want|need|like|prefer) (?:to (?:see|have) )?)(?:some )?(?:options|alternatives|choices)|let me (?:choose|pick)|brainstorm(?: with me| first| always)?|let us brainstorm|with (?:options|alternatives)',
  ),
  phrase(
    'clause',
    { brainstorming_preference: 'on_demand' },
    'offer options only when you ask',
    'no (?:more )?(?:options|ideas|alternatives|choices|brainstorming|suggestions)|(?:do not|never|stop) (?:offer(?:ing)?|suggest(?:ing)?|giv(?:e|ing)|show(?:ing)?|brainstorm(?:ing)?|propos(?:e|ing))(?: me)?(?: (?:any |so many |more )?(?:options|alternatives|choices|ideas|suggestions))?',
    '(?:just |only )+(?:one|a single|your best) (?:option|way|suggestion|proposal|plan)|(?:options|ideas|brainstorm|suggestions) only (?:when|if) i ask(?: for (?:them|it))?',
  ),
  phrase(
    'clause',
    { brainstorming_preference: 'suggest_when_uncertain' },
    'offer options when I am unsure',
    '(?:give|show|offer|suggest|propose|brainstorm)(?: me)?(?: (?:options|alternatives|ideas|choices))? (?:only )?(?:when|if|whenever) (?:you are )?(?:unsure|not sure|uncertain|in doubt|it is unclear)',
  ),

  // When a person is asked for approval.
  phrase(
    'clause',
    { approval_policy: 'strict_every_step' },
    'ask for your approval of every step',
    `(?:check(?: in)?|confirm|check back|consult)(?: with)?(?: me)? (?:at|before|after|on|about|for) ${eachStep}`,
    `(?:ask|consult) me (?:at|before|about|for) ${eachStep}|ask (?:me )?(?:for )?(?:my )?(?:approval|permission|confirmation)(?: (?:at|before|for|of|on) ${eachStep})?`,
    `(?:let me |i (?:want to|will|would like to|must) )(?:approve|confirm|see|check|review|sign off(?: on)?) ${eachStep}(?: (?:first|before (?:it (?:runs|happens|is done)|you (?:run|do) it)|one by one))?`,
    `(?:approve|confirm|clear|run) ${eachStep}(?: (?:with me|by me|past me|one by one|separately))+|(?:step by step|step-by-step) approvals?|approval (?:for|of|at|before) ${eachStep}|nothing without (?:asking me|my (?:word|approval|ok(?:ay)?|consent))`,
  ),
  phrase(
    'clause',
    { approval_policy: 'milestone_approvals' },
    'ask for your approval of the outline and the order before the plan',
    `(?:check(?: in)?|confirm|check back)(?: with)? me (?:at|before|after|on) ${stages}|(?:ask me|approvals?|approve) (?:at|after|before|by|in|for|per) ${stages}|(?:stage by stage|milestone by milestone|milestone|staged) ?(?:approvals?)?`,
    '(?:show|give) me (?:the|an) outline(?: first| before (?:you )?(?:plan(?:ning)?|go(?:ing)? on|continu(?:e|ing)|anything else|the plan))|(?:let me (?:see|approve|check|review)|i (?:want to|would like to) (?:see|approve|check|review)) (?:the|an) outline(?: first)?|(?:the )?outline first',
  ),
  phrase(
    'clause',
    { approval_policy: 'single_final' },
    'ask for approval once, at the end',
    '(?:i (?:will |want to |would like to )?)?(?:only |just )?approve (?:only |just )?(?:it |everything |all |the (?:whole )?plan )?(?:once|at the (?:very )?end|the (?:final|whole|complete) plan(?: only| once| at the end)?)(?: (?:at|in) the end)?',
    '(?:only |just )?(?:one|a single) (?:final )?approval(?: (?:at the end|only|is enough|will do))*|(?:only |just )+(?:ask|check with|check in with|show|consult|bother) me (?:only |just )?(?:once|at the (?:very )?end|when (?:it is|you are) (?:done|ready))(?: at the end)?',
    '(?:ask|check with|check in with|consult) me (?:only |just )+(?:once|at the (?:very )?end)(?: at the end)?|(?:no|skip the|without) (?:intermediate|milestone|stage|interim) approvals?|(?:do not|stop) check(?:ing)?(?: in)? with me(?: (?:at|before) (?:every|each) step| so often| all the time| until the end)?',
  ),

  // Tone.
  phrase(
    'sentence',
    { tone: 'friendly' },
    'use a friendlier tone',
    `(?:be|sound|talk) ${degree}(?:friendly|friendlier|warm|warmer|nice|nicer|kind|kinder|cheerful|personal|relaxed|casual|informal|human)`,
    '(?:a )?(?:more )?(?:friendly|friendlier|warm|warmer|nicer|casual)(?: tone| style| voice)?(?: to me)?|(?:a (?:bit|little) )?(?:more friendly|friendlier|nicer|warmer)',
    '(?:be |sound )?(?:a (?:bit|little) )?less (?:cold|stiff|robotic|formal|clinical|dry)|do not be (?:so |too )?(?:cold|stiff|robotic|formal|clinical|dry)',
  ),
  phrase(
    'sentence',
    { tone: 'clinical' },
    'stick to facts',
    '(?:stick|keep) to (?:the )?(?:bare |plain )?facts|(?:just|only|nothing but) (?:the )?(?:bare |plain )?facts|(?:the )?facts only',
    `(?:be|sound|stay) ${degree}(?:clinical|factual|objective|sober|matter-of-fact|businesslike|dry|impersonal)|(?:a )?(?:more )?(?:clinical|factual|sober|matter-of-fact|businesslike)(?: tone| style)?`,
    'no (?:pleasantries|niceties|emotions?|small talk|politeness)|strictly business|skip the (?:pleasantries|niceties)',
  ),
  phrase(
    'sentence',
    { tone: 'neutral' },
    'use a neutral tone',
    `(?:be|sound|stay) ${degree}(?:neutral|professional|formal)|(?:a )?(?:more )?(?:neutral|professional|formal)(?: tone| style)?|(?:be |sound )?less (?:friendly|chummy|casual|cheerful|informal)|do not be (?:so |too )?(?:friendly|chummy|casual|cheerful|informal|nice)`,
  ),
];

const lasting =
  /\b(?:always|from now on|from here on|going forward|henceforth|in (?:the )?future|for (?:the|all) future|by default|in general|generally|every time|each time|never)\b/;
const when =
  '(?:always|from now on|from here on|going forward|henceforth|in (?:the )?future|for the future|by default|in general|generally|every time|each time|today|for today|tonight|this time|this once|for once|for now|right now|now|for this (?:one|time|plan|run|task|conversation|session|request|chat)|in this (?:conversation|session|chat|thread)|here|until (?:further notice|i say (?:otherwise|so)))';
const opening = new RegExp(
  `^(?:(?:and|but|so|well|also|then|just please|please|pls|kindly|ok(?:ay)?|hey|hi|hello|thanks|maybe|perhaps|try to|remember to|${when}|(?:can|could|would|will) you(?: please| maybe| just)?|i (?:would )?(?:want|like|need|prefer|wish)(?: for)? (?:you|it|that you|if you)(?: to| could| would)?|i would (?:like|prefer|appreciate)(?: it)?(?: if)? you(?: to| could| would)?|you (?:should|can|could|must|may|need to)|let us(?= (?:keep|be|talk|stick|go))|make sure (?:to|you|that you)|@?countersign),? )+`,
);
const ending = new RegExp(
  `(?: (?:please|pls|thanks|thank you|ok(?:ay)?|with me(?= (?:please|today|from|for|in))|when you (?:answer|reply|talk|write)(?: to me)?|in (?:your|all your|the) (?:answers?|replies|messages|responses)|with your (?:answers|replies|messages)|to me|if (?:you can|possible)|${when}))+$`,
);

/** One form for the same words. */
function normalise(words: string): string {
  return words
    .toLowerCase()
    .replace(/[’‘´`]/g, "'")
    .replace(/\blet's\b/g, 'let us')
    .replace(/\b(?:don't|dont)\b/g, 'do not')
    .replace(/\bi'd\b/g, 'i would')
    .replace(/\bi'll\b/g, 'i will')
    .replace(/\b(you|we|they)'re\b/g, '$1 are')
    .replace(/\b(that|it|this)'s\b/g, '$1 is')
    .replace(/\bjudgment\b/g, 'judgement')
    .replace(/[.!?,;:]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

const adjective = /^(?:very |more |a (?:bit|little) |really )*[a-z-]+$/;

/**
 * The phrase that `words` are, and whether they hold for good; null: they are something else.
 * @param continues they follow other words about style: "be brief and friendly"
 */
export function readPhrase(
  words: string,
  continues: boolean,
): { phrase: Phrase; lasting: boolean } | null {
  const plain = normalise(words);
  const bare = plain.replace(opening, '').replace(ending, '').trim();
  const forms = [bare, plain.replace(ending, '').trim()];
  if (continues && adjective.test(bare)) forms.push(`be ${bare}`);
  for (const form of forms) {
    const found = phrases.find(({ pattern }) => pattern.test(form));
    if (found !== undefined) return { phrase: found, lasting: lasting.test(plain) };
  }
  return null;
}
