// Tells apart the kinds of arguments without checking them. No zod: the console's page uses it.
import type { Json } from '../text.ts';
import { isRecord } from './operation-form.ts';

/** As `ArgumentReference`; the others likewise. */
type Reference = { $from: string; path: string };

export function isReference(value: Json | undefined): value is Reference {
  return isRecord(value) && '$from' in value;
}

export function isArtifact(value: Json | undefined): value is { $artifact: string; path: string } {
  return isRecord(value) && '$artifact' in value;
}

export function isTemplate(
  value: Json | undefined,
): value is { $template: (string | Reference)[] } {
  return isRecord(value) && '$template' in value;
}

export function isRuntime(value: Json | undefined): value is { $decide: string } {
  return isRecord(value) && '$decide' in value;
}
