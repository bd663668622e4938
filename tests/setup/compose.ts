// Reads compose.yaml; refuses keys it doesn't know.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';

const Healthcheck = z.union([
  z.strictObject({ disable: z.literal(true) }),
  z.strictObject({
    test: z.tuple([z.literal('CMD'), z.string()], z.string()),
    interval: z.string(),
    timeout: z.string(),
    start_period: z.string().optional(),
    retries: z.number().optional(),
  }),
]);

const Service = z.strictObject({
  image: z.string().regex(/^(?:countersign|postgres:18(?:@sha256:[0-9a-f]{64})?)$/),
  build: z.literal('.').optional(),
  env_file: z.literal('.env').optional(),
  init: z.boolean().optional(),
  read_only: z.boolean().optional(),
  tmpfs: z.array(z.string()).optional(),
  volumes: z.array(z.string()),
  cap_drop: z.array(z.string()).optional(),
  security_opt: z.array(z.string()).optional(),
  stop_grace_period: z
    .string()
    .regex(/^\d+s$/)
    .transform((text) => Number.parseInt(text, 10))
    .optional(),
  restart: z.string(),
  command: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()),
  ports: z.array(z.string()).optional(),
  deploy: z.strictObject({ replicas: z.number().int() }).optional(),
  healthcheck: Healthcheck.optional(),
  depends_on: z
    .record(
      z.string(),
      z.strictObject({
        condition: z.enum(['service_healthy', 'service_completed_successfully']),
      }),
    )
    .optional(),
});
export type ComposeService = z.infer<typeof Service>;

function fill(text: string, variables: Record<string, string>): string {
  const filled = text.replace(/\$\{(\w+):([?-])([^}]*)\}/g, (_, name, kind, rest) => {
    const value = variables[name] ?? '';
    if (value !== '') return value;
    if (kind === '?') throw new Error(`${name}: ${rest}`);
    return rest;
  });
  if (filled.includes('${')) throw new Error(`not understood: ${filled}`);
  return filled;
}

const File = z
  .object({
    name: z.string(),
    services: z.record(z.string(), Service),
    volumes: z.record(z.string(), z.null()),
  })
  .catchall(z.unknown())
  .refine((file) => Object.keys(file).every((key) => /^(?:name|services|volumes|x-.+)$/.test(key)));

/**
 * @param variables those of `.env`
 * @throws Error with the file's message about a missing variable
 */
export function readCompose(
  path: string,
  variables: Record<string, string>,
): Record<string, ComposeService> {
  const filled = (_: unknown, value: unknown) =>
    typeof value === 'string' ? fill(value, variables) : value;
  const { services } = File.parse(parse(readFileSync(path, 'utf8'), filled, { merge: true }));
  for (const service of Object.values(services))
    if (service.env_file !== undefined)
      service.environment = { ...variables, ...service.environment };
  return services;
}
