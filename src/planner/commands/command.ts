// What a request says, once it is read: commands with the times, gates and order that were said of them.
import type { Json, JsonObject } from '#domain/text.ts';
import type { OperationSpec } from '#domain/tool.ts';
import type { Duration, Rule } from './times.ts';

/** A text to be written, posted or sent. */
export type Text =
  | { kind: 'literal'; text: string }
  | { kind: 'each'; texts: string[] }
  | { kind: 'own name' }
  /** What the command before it gave: "write it to b.txt". */
  | { kind: 'output' }
  | { kind: 'content'; path: string };

export type FileSet = {
  folder: string;
  /** `*.log`; null: all files. */
  pattern: string | null;
  except: string[];
  /** Folders belong to it too: "everything". */
  folders: boolean;
};

export type Files =
  | { kind: 'paths'; paths: string[]; folder: boolean }
  | { kind: 'set'; set: FileSet };

export type Command =
  | { do: 'write'; paths: string[]; text: Text }
  | { do: 'edit'; path: string; edit: Edit }
  | { do: 'move' | 'copy'; files: Files; to: string[] }
  | { do: 'delete'; files: Files }
  | { do: 'make folder'; path: string }
  | { do: 'read'; path: string }
  | { do: 'list'; path: string }
  | { do: 'find'; set: FileSet }
  | { do: 'fetch' | 'check'; url: string }
  | { do: 'request'; method: string; url: string; body: Json | null }
  | { do: 'post'; text: Text; channel: string | null }
  | { do: 'ask'; people: (string | null)[]; question: string; answer: 'any' | 'yes or no' }
  | { do: 'remind'; text: string; at: string | null; rule: Rule | null; assumedHour: boolean }
  | { do: 'event'; title: string; start: string; end: string | null; assumedHour: boolean }
  | { do: 'agenda'; from: string; to: string }
  | { do: 'wait'; seconds: number }
  | { do: 'call'; spec: OperationSpec; args: JsonObject }
  | RowsCommand;

/** A piece of a path or text: as it stands, or the value of a column. */
export type Piece = string | { column: string };

export type RowsCommand = {
  do: 'rows';
  table: string;
  /** What is written, in words: "reminder letter". */
  thing: string;
  to: Piece[];
  /** null: a plain text of the row's columns. */
  text: Piece[] | null;
  /** One summary of all of them; `path` null: beside their folder. */
  summary: { path: string | null } | null;
};

/** The arguments of workspace_edit but for its path. */
export type Edit =
  | { action: 'append' | 'prepend'; text: string }
  | { action: 'replace'; find: string; text: string };

/** A person has to say so first. `words`: what they are asked about; null: the command itself. */
export type Gate = { people: (string | null)[]; needs: 'yes' | 'an answer'; words: string | null };

export type Clause = {
  command: Command;
  /** As it was said, without what was said about its time or its gate. */
  words: string;
  /** It runs behind everything before it; otherwise beside the last one. */
  follows: boolean;
  start: { iso: string; assumedHour: boolean } | null;
  /** Minutes after what comes before it. */
  lag: number | null;
  takes: Duration | null;
  deadline: string | null;
  rule: Rule | null;
  gate: Gate | null;
  /** It runs only if the person asked last says so. */
  if: 'Yes' | 'No' | null;
  /** The part of the plan it belongs to, by its place in `Request.parts`. */
  part: number | null;
  /** The tool that was named: "using fs". */
  tool: string | null;
};

/** "Phase 1 (two days after phase 0): Setup", "milestone: All is written". */
export type Part = {
  structure: 'phase' | 'milestone';
  title: string;
  after: { part: number; lag: number } | null;
};

export type Pattern = { source: string; subtype: string | null; isNew: boolean };

export type Request = {
  clauses: Clause[];
  title: string | null;
  parts: Part[];
  deadline: string | null;
  outline: boolean;
  pattern: Pattern | null;
};

export type Question = { id: string; text: string; options?: string[] };
