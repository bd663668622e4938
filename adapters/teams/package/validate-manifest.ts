// Whether a Teams manifest is what Microsoft's own schema of its version asks for.
import schema from '@microsoft/app-manifest/build/json-schemas/teams/v1.30/MicrosoftTeams.schema.json' with {
  type: 'json',
};
import Ajv04 from 'ajv-draft-04';
import addFormats from 'ajv-formats';
import { CountersignError } from '#domain/errors.ts';

// Both packages are CommonJS, so that what they export by default is its own `default`.
const ajv = new Ajv04.default({ allErrors: true, strict: false });
addFormats.default(ajv);
const check = ajv.compile(schema);

/** @throws CountersignError `invalid_configuration` that names every place that does not fit */
export function validateManifest(manifest: unknown): void {
  if (check(manifest)) return;
  const faults = (check.errors ?? []).map(
    ({ instancePath, message }) =>
      `${instancePath.slice(1).replaceAll('/', '.') || 'manifest'} ${message}`,
  );
  throw new CountersignError(
    'invalid_configuration',
    `The manifest does not fit Microsoft's schema: ${faults.join('; ')}.`,
  );
}
