// The operations that plans may use, also those that only workers have.
import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { errorMessage } from '#domain/errors.ts';
import { alone, perOrganisation, reaches, type Tenancy } from '#domain/tenancy.ts';
import {
  type Catalogue,
  type Catalogues,
  doesMore,
  type KnownOperation,
  type OperationSpec,
  type ToolHost,
} from '#domain/tool.ts';
import { listOf } from '#domain/words.ts';
import { type ArgumentValidator, compileValidator } from './validate-arguments.ts';

function withTrustOf<T extends OperationSpec>(
  spec: T,
  one: OperationSpec,
  other: OperationSpec,
): T {
  const trusted = one.trusted === true && other.trusted === true;
  return (spec.trusted === true) === trusted ? spec : { ...spec, trusted };
}

/** Keeps the most cautious description; on a tie, the first. */
function mergeManifests(manifests: readonly OperationSpec[][]): Map<string, OperationSpec> {
  const merged = new Map<string, OperationSpec>();
  for (const spec of manifests.flat()) {
    const known = merged.get(spec.name);
    const more = known === undefined || doesMore(spec.effect, known.effect) ? spec : known;
    merged.set(spec.name, withTrustOf(more, known ?? spec, spec));
  }
  return merged;
}

function isWithin(
  tenancy: Tenancy,
  { source, sharing = {} }: OperationSpec,
  tenant: string | null,
) {
  return source === 'builtin' || reaches(tenancy, sharing, tenant);
}

export function createCatalogue(
  tools: Pick<ToolHost, 'of'>,
  readTenancy: () => Tenancy = () => alone,
  findModelProblem: Catalogues['findModelProblem'] = () => null,
): Catalogues {
  let manifests: readonly OperationSpec[][] = [];
  let offered = new Map<string, OperationSpec>();
  const validators = new WeakMap<OperationSpec, ArgumentValidator>();

  function validatorOf(spec: OperationSpec): ArgumentValidator {
    const validator = validators.get(spec) ?? compileValidator(spec.input);
    validators.set(spec, validator);
    return validator;
  }

  /** Its own description, unless a worker's is more cautious. */
  function temper<T extends KnownOperation>(own: T): T {
    const other = offered.get(own.name);
    if (other === undefined) return own;
    const trusting = withTrustOf(own, own, other);
    if (!doesMore(other.effect, own.effect)) return trusting;
    return { ...trusting, effect: other.effect, destructive: own.destructive || other.destructive };
  }

  function openFor(tenant: string | null, tenancy: Tenancy): Catalogue {
    const registry = tools.of(tenant);
    const findOffered = (name: string) => {
      const spec = offered.get(name);
      return spec !== undefined && isWithin(tenancy, spec, tenant) ? spec : undefined;
    };
    return {
      list() {
        const own = registry.list();
        const names = new Set(own.map(({ name }) => name));
        const others = [...offered.keys()]
          .filter((name) => !names.has(name))
          .flatMap((name) => findOffered(name) ?? [])
          .sort((a, b) => (a.name < b.name ? -1 : 1));
        return [...own.map(temper), ...others];
      },
      get(name) {
        const own = registry.get(name);
        return own === undefined ? findOffered(name) : temper(own);
      },
      validate(name, args, unknown) {
        const spec = findOffered(name);
        if (spec === undefined || registry.get(name) !== undefined) {
          return registry.validate(name, args, unknown);
        }
        try {
          return validatorOf(spec)(args, unknown);
        } catch (error) {
          return [`its schema, as a worker describes it, cannot be used: ${errorMessage(error)}`];
        }
      },
      async check(tool) {
        const here = registry.status().some((status) => status.tool === tool);
        const state = here ? await registry.check(tool) : null;
        if (state?.ok === true) return state;
        for (const spec of offered.values())
          if (spec.tool === tool && findOffered(spec.name) !== undefined) return { ok: true };
        return (
          state ?? {
            ok: false,
            reason: `No worker offers the tool ${tool} at the moment. Start one that has it; \`countersign doctor\` lists the workers.`,
          }
        );
      },
    };
  }

  return {
    of: perOrganisation(readTenancy, openFor),
    findModelProblem,
    async refresh(readManifests) {
      const now = await readManifests();
      const same =
        now.length === manifests.length &&
        now.every((manifest, index) => manifest === manifests[index]);
      if (same) return;
      manifests = now;
      offered = mergeManifests(now);
    },
  };
}

const parts = [
  'the server or the code it comes from',
  'its description',
  'the schema of its arguments',
  'what it says of its effect',
] as const;
/** A new version may reword and extend a built-in: approved plans continue. */
const upgradable: ReadonlySet<string> = new Set([parts[1], parts[2]]);

type Identified = Pick<
  OperationSpec,
  | 'tool'
  | 'operation'
  | 'source'
  | 'identity'
  | 'description'
  | 'input'
  | 'effect'
  | 'destructive'
  | 'trusted'
  | 'human'
>;

/** SHA-256 of canonical JSON (RFC 8785), in base64url. */
export function digestJson(value: unknown): string {
  return hash('sha256', canonicalize(value) ?? '', 'base64url');
}

const known = new WeakMap<Identified, string>();

/** One SHA-256 per part, joined by dots, to show later which changed. Equal in all processes. */
export function digestOperation(spec: Identified): string {
  const before = known.get(spec);
  if (before !== undefined) return before;
  const { tool, operation, source, identity, description, input, effect, destructive } = spec;
  const digest = [
    [source, tool, operation, identity?.server ?? null],
    description,
    input,
    [
      effect,
      destructive,
      spec.trusted ?? false,
      spec.human ?? false,
      identity?.annotations ?? null,
    ],
  ]
    .map(digestJson)
    .join('.');
  known.set(spec, digest);
  return digest;
}

export function describeChange(before: string, spec: Identified): string | null {
  const digest = digestOperation(spec);
  if (before === digest) return null;
  const [was, is] = [before.split('.'), digest.split('.')];
  const changed = parts.filter((_, index) => was[index] !== is[index]);
  if (spec.source !== 'builtin') return listOf(changed) || 'its digest';
  return listOf(changed.filter((part) => !upgradable.has(part))) || null;
}
