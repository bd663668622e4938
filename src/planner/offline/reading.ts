// What one clause was understood to mean, before any operation is chosen.
import type { JsonObject } from '#contracts/text.ts';
import type { OperationSpec } from '#contracts/tool.ts';
import type { Content } from './content.ts';
import type { Shielded } from './shield.ts';

/** One thing to do. Paths are as the person gave them, joined and resolved. */
export type Intent =
  | { act: 'write'; path: string; content: Content; overwrite: boolean | null }
  /** The new content depends on the old one: read now, written as a whole. */
  | { act: 'edit'; path: string; edit: Edit }
  | { act: 'move'; from: string; to: string; overwrite: boolean | null }
  | { act: 'copy'; from: string; to: string }
  | { act: 'delete'; path: string; recursive: boolean }
  | { act: 'make_folder'; path: string }
  | { act: 'list'; path: string; recursive: boolean }
  | { act: 'read'; path: string }
  | { act: 'fetch'; url: string }
  | { act: 'request'; url: string; method: string; body: string | null }
  | { act: 'post'; text: Content; conversation: string | null }
  /** `gate`: answered with Yes or No, and what follows in its unit depends on the answer. */
  | { act: 'ask'; question: string; assignee: string | null; gate?: true }
  | { act: 'remind'; text: string; at: string | null; rrule: string | null; assumedHour: boolean }
  | { act: 'calendar_read'; from: string | null; to: string | null }
  | {
      act: 'calendar_add';
      title: string;
      start: string;
      end: string | null;
      rrule: string | null;
      assumedHour: boolean;
    }
  | { act: 'summarize'; path: string | null }
  | { act: 'wait'; seconds: number }
  | { act: 'nothing' }
  /** An operation that was matched by its own name, words and schema. */
  | { act: 'call'; spec: OperationSpec; args: JsonObject };

export type Edit =
  | { kind: 'append'; text: string }
  | { kind: 'prepend'; text: string }
  | { kind: 'replace'; old: string; new: string };

/** Files meant by a description rather than by name: "all .txt files in inbox". */
export type FileSet = {
  folder: string;
  pattern: string | null;
  /** null: not said; asked about when it makes a difference. */
  recursive: boolean | null;
  /** Folders as well: "everything". */
  folders: boolean;
  /** Paths or names that are left out: "except a.txt". */
  except: string[];
  /** The words that described the set. */
  said: string;
};

/** When something is to begin that is not begun at once. */
export type Start = {
  at: string;
  words: string;
  assumedHour: boolean;
  /** It stood before the verb, and so counts for what follows as well. */
  leading: boolean;
};

export type Reading =
  | { kind: 'intents'; intents: Intent[]; start?: Start }
  /** The same for every file of a set, which is enumerated first. */
  | {
      kind: 'for_each';
      files: FileSet;
      make: (path: string, folder?: boolean) => Intent | null;
      start?: Start;
    }
  /** Which files there are, as an answer. */
  | { kind: 'find'; files: FileSet }
  /** Something is missing or has two meanings. The answer comes back under the same question. */
  | { kind: 'question'; questions: string[] }
  /** No tool can do it: "book flights". */
  | { kind: 'cannot'; wanted: string }
  /** Nothing to do, and why: a prohibition, thanks. */
  | { kind: 'nothing'; note: string }
  /** Answered in words, without a tool or a plan. */
  | { kind: 'talk'; text: string; reason: string };

/** One clause with its meaning. `tool` is the tool the person named for it. */
export type Understood = {
  reading: Reading;
  link: 'start' | 'sequence' | 'sibling';
  tool: string | undefined;
  words: string;
  /** It runs only if the gates before it were answered so. */
  needs?: 'Yes' | 'No' | undefined;
  /** The part of a larger request it belongs to; undefined: there are none. */
  part?: number | undefined;
};

/** What clauses before this one were about: "it", "them". */
export type Focus = { paths: string[]; output: boolean };

export type ReadingContext = {
  shielded: Shielded;
  manifest: OperationSpec[];
  focus: Focus;
  now: Date;
  timezone: string;
  /** What the person answered to earlier questions, by question. */
  answers: ReadonlyMap<string, string>;
  tool: string | undefined;
};

/** Reads a clause, or leaves it to the next frame. */
export type Frame = (clause: string, context: ReadingContext) => Reading | null;

export function intents(...list: Intent[]): Reading {
  return { kind: 'intents', intents: list };
}

export function ask(...questions: string[]): Reading {
  return { kind: 'question', questions };
}
