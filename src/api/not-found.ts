// Unknown paths and methods: 405 with Allow, else 404.
import type { FastifyInstance } from 'fastify';
import { sendProblem } from './errors.ts';
import type { Complaint } from './problem.ts';

/** `/api/plans/:id` takes `/api/plans/PLAN-1`. */
function takes(template: string, path: string): boolean {
  const [wanted, given] = [template.split('/'), path.split('/')];
  const isOpen = wanted.at(-1) === '*';
  return (
    (isOpen ? given.length >= wanted.length : given.length === wanted.length) &&
    wanted.every((part, at) =>
      part.startsWith(':') ? given[at] !== '' : part === given[at] || (isOpen && part === '*'),
    )
  );
}

export function unreadable(path: string): Complaint {
  const detail = `The path ${path.slice(0, 200)} is not valid: it has a character that no path here uses, or broken percent-encoding.`;
  return { code: 'not_found', detail };
}

const missingPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Page not found · Countersign</title>
<link rel="stylesheet" href="/console/page/styles/tokens.css">
<link rel="stylesheet" href="/docs/docs.css">
<main>
<h1>Page not found</h1>
<p><a href="/">Open the console</a> or <a href="/docs">read the docs</a>.</p>
</main>
</html>
`;

/** Call before adding routes, which it records. */
export function answerUnknownPaths(app: FastifyInstance): void {
  const known = new Map<string, Set<string>>();

  app.addHook('onRoute', ({ url, method }) => {
    const methods = known.get(url) ?? new Set<string>();
    for (const one of [method].flat()) methods.add(one);
    known.set(url, methods);
  });

  const methodsOf = (path: string): string[] => {
    const fitting = [...known].filter(([template]) => takes(template, path));
    return [...new Set(fitting.flatMap(([, methods]) => [...methods]))].sort();
  };

  // The database rejects NUL.
  app.addHook('onRequest', async (request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '/';
    if (path.includes('%00')) return sendProblem(unreadable(path), request, reply);
  });

  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '/';
    const methods = methodsOf(path);
    if (methods.length > 0) {
      const allow = methods.join(', ');
      const detail = `${path} takes ${allow}, not ${request.method}.`;
      return sendProblem(
        { code: 'method_not_allowed', detail, details: { allow: methods } },
        request,
        reply.header('allow', allow),
      );
    }
    const browses = request.headers.accept?.includes('text/html') === true;
    if (browses && !path.startsWith('/api/'))
      return reply.code(404).type('text/html; charset=utf-8').send(missingPage);
    const detail = `There is no ${path} here. /openapi.json lists every path.`;
    return sendProblem({ code: 'not_found', detail }, request, reply);
  });
}
