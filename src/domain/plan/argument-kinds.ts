// Distinguishes argument kinds without zod, for the console.
import type { Json } from '../text.ts';
import { isRecord } from './operation-form.ts';

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
