// Step arguments: literals, references, templates and run-time values.
import { z } from 'zod';
import { isObject, type Json, type JsonObject } from '../text.ts';
import { isArtifact, isReference, isRuntime, isTemplate } from './argument-kinds.ts';

/** `{ "$from": "2", "path": "/text" }`: by JSON pointer (RFC 6901) in step 2's output. */
export const ArgumentReference = z.strictObject({
  $from: z.string().min(1),
  path: z
    .string()
    .regex(/^(\/.*)?$/, 'must be a JSON pointer: empty or beginning with "/"')
    .default(''),
});
export type ArgumentReference = z.infer<typeof ArgumentReference>;

/** `{ "$artifact": "art-3f9a1c20", "path": "/rows" }`; a text artifact has only the text. */
export const ArtifactReference = z.strictObject({
  $artifact: z.string().min(1).max(80),
  path: ArgumentReference.shape.path,
});
export type ArtifactReference = z.infer<typeof ArtifactReference>;

/** `{ "$template": ["Status: ", { "$from": "2", "path": "/status" }] }`. */
export const TemplateArgument = z.strictObject({
  $template: z
    .array(z.union([z.string(), ArgumentReference]))
    .min(1)
    .max(500),
});
export type TemplateArgument = z.infer<typeof TemplateArgument>;

/** `{ "$decide": "the subject line" }`: by the executor's model. */
export const RuntimeArgument = z.strictObject({ $decide: z.string().min(1).max(2000) });
export type RuntimeArgument = z.infer<typeof RuntimeArgument>;

/** The functions below accept `args` if empty. */
export function findMalformed(args: Json): string[] {
  if (isReference(args)) {
    return ArgumentReference.safeParse(args).success
      ? []
      : [
          `${JSON.stringify(args).slice(0, 200)} must be { "$from": "a step's id", "path": "/text" }`,
        ];
  }
  if (isArtifact(args)) {
    return ArtifactReference.safeParse(args).success
      ? []
      : [
          `${JSON.stringify(args).slice(0, 200)} must be { "$artifact": "an artifact's id", "path": "/text" }`,
        ];
  }
  if (isTemplate(args)) {
    return TemplateArgument.safeParse(args).success
      ? []
      : [
          `${JSON.stringify(args).slice(0, 200)} must be { "$template": ["text", { "$from": "a step's id", "path": "/text" }] }`,
        ];
  }
  if (isRuntime(args)) {
    return RuntimeArgument.safeParse(args).success
      ? []
      : [`${JSON.stringify(args).slice(0, 200)} must be { "$decide": "what to choose" }`];
  }
  if (Array.isArray(args)) return args.flatMap(findMalformed);
  if (isObject(args)) return Object.values(args).flatMap(findMalformed);
  return [];
}

export function referencesOf(args: Json): ArgumentReference[] {
  if (isReference(args)) return [ArgumentReference.parse(args)];
  if (Array.isArray(args)) return args.flatMap(referencesOf);
  if (isObject(args)) return Object.values(args).flatMap(referencesOf);
  return [];
}

/** None if one is malformed. */
export function safeReferences(args: Json): ArgumentReference[] {
  try {
    return referencesOf(args);
  } catch {
    return [];
  }
}

export function artifactsOf(args: Json): ArtifactReference[] {
  if (isArtifact(args)) return [ArtifactReference.parse(args)];
  if (Array.isArray(args)) return args.flatMap(artifactsOf);
  if (isObject(args)) return Object.values(args).flatMap(artifactsOf);
  return [];
}

export function renameReferences(args: JsonObject, rename: (id: string) => string): JsonObject {
  return Object.fromEntries(
    Object.entries(args).map(([key, value]) => [key, renameWithin(value, rename)]),
  );
}

function renameWithin(value: Json, rename: (id: string) => string): Json {
  if (isReference(value) && typeof value.$from === 'string')
    return { ...value, $from: rename(value.$from) };
  if (Array.isArray(value)) return value.map((item) => renameWithin(item, rename));
  return isObject(value) ? renameReferences(value, rename) : value;
}

export function hasRuntime(args: Json): boolean {
  if (isRuntime(args)) return true;
  if (Array.isArray(args)) return args.some(hasRuntime);
  return isObject(args) && Object.values(args).some(hasRuntime);
}

export function isOpen(args: Json): boolean {
  return referencesOf(args).length > 0 || artifactsOf(args).length > 0 || hasRuntime(args);
}

export function openArguments(args: JsonObject): string[] {
  return Object.entries(args)
    .filter(([, value]) => isOpen(value))
    .map(([name]) => name);
}

/** Compact JSON for objects and lists, '' for null. */
function writeInText(value: Json): string {
  if (typeof value === 'string') return value;
  return value === null ? '' : JSON.stringify(value);
}

/** Replacements aren't scanned again; artifacts need `load`. @throws errors of `resolve` or `load` */
export function substitute(
  args: Json,
  resolve: (reference: ArgumentReference) => Json,
  decide: (argument: RuntimeArgument) => Json,
  load: (reference: ArtifactReference) => Json = (reference) => reference,
): Json {
  if (isReference(args)) return resolve(ArgumentReference.parse(args));
  if (isArtifact(args)) return load(ArtifactReference.parse(args));
  if (isTemplate(args)) {
    const parts = TemplateArgument.parse(args).$template;
    return parts
      .map((part) => (typeof part === 'string' ? part : writeInText(resolve(part))))
      .join('');
  }
  if (isRuntime(args)) return decide(RuntimeArgument.parse(args));
  if (Array.isArray(args)) return args.map((item) => substitute(item, resolve, decide, load));
  if (!isObject(args)) return args;
  return Object.fromEntries(
    Object.entries(args).map(([key, value]) => [key, substitute(value, resolve, decide, load)]),
  );
}
