// Turns errors into problems; internal details are only logged.
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { diskFullWords } from '#db/disk.ts';
import { isDatabaseTrouble, isDiskFull } from '#db/transient.ts';
import { CountersignError } from '#domain/errors.ts';
import { keyHeader } from './idempotency.ts';
import { type Complaint, problemKinds, toProblem } from './problem.ts';

// Drains refused bodies, so the client can read the response.
const mostBytes = 256 * 1_048_576;
const mostMilliseconds = 5000;

function drain(body: Readable): Promise<void> {
  if (body.readableEnded || body.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    let seen = 0;
    const stop = (): void => {
      clearTimeout(timer);
      body.off('data', count).off('end', stop).off('close', stop).off('error', stop);
      resolve();
    };
    const count = (chunk: Buffer): void => {
      seen += chunk.length;
      if (seen > mostBytes) stop();
    };
    const timer = setTimeout(stop, mostMilliseconds);
    body.on('data', count).once('end', stop).once('close', stop).once('error', stop);
    body.resume();
  });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    accepts?: string;
  }
}

/** Framework codes begin with `FST_`. */
const FrameworkError = z.object({
  code: z.string().optional(),
  message: z.string(),
  statusCode: z.number().int().optional(),
});

/** `1 MB (1048576 bytes)` */
function sizeInWords(bytes: number): string {
  return `${Math.round((bytes / 1_048_576) * 100) / 100} MB (${bytes} bytes)`;
}

function internalComplaint(requestId: string): Complaint {
  return {
    code: 'internal',
    detail: `Something went wrong in Countersign. Its log has the details under request id ${requestId}.`,
  };
}

/** A commit may have happened without a response. */
function databaseComplaint(error: unknown, { method, headers }: FastifyRequest): Complaint {
  if (isDiskFull(error)) {
    const detail = `${diskFullWords} Nothing of this request was stored; send it again then.`;
    return { code: 'database_unavailable', detail };
  }
  const reads = method === 'GET' || method === 'HEAD';
  const keyed = headers[keyHeader] !== undefined;
  const advice =
    reads || keyed
      ? 'Send the same request again in a few seconds; GET /readyz says what is wrong.'
      : 'GET /readyz says what is wrong. Your request may have been stored: check before you send it again, or send it with an Idempotency-Key so that it runs once.';
  return { code: 'database_unavailable', detail: `The database isn't responding. ${advice}` };
}

function codeOfStatus(status: number): Complaint['code'] {
  switch (status) {
    case 401:
      return 'unauthorized';
    case 403:
      return 'forbidden';
    case 404:
      return 'not_found';
    case 405:
      return 'method_not_allowed';
    case 413:
      return 'body_too_large';
    case 415:
      return 'unsupported_media_type';
    case 429:
      return 'rate_limited';
    default:
      return 'invalid_request';
  }
}

function explainFrameworkError(error: unknown, request: FastifyRequest): Complaint {
  const parsed = FrameworkError.safeParse(error);
  if (!parsed.success) return internalComplaint(request.id);
  const { code, message, statusCode } = parsed.data;
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE': {
      const limit = request.routeOptions.bodyLimit;
      return {
        code: 'body_too_large',
        detail: `The body is larger than ${sizeInWords(limit)}, the limit of this path.`,
        details: { limit_bytes: limit },
      };
    }
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE': {
      const accepts = request.routeOptions.config.accepts ?? 'application/json';
      return {
        code: 'unsupported_media_type',
        detail: `Send the body as ${accepts}; it came as ${request.headers['content-type'] ?? 'nothing in particular'}.`,
        details: { accepts },
      };
    }
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return { code: 'invalid_json', detail: 'The body is empty. Send a JSON object.' };
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return { code: 'invalid_json', detail: 'The body is not valid JSON.' };
    default:
      if (statusCode === undefined || statusCode < 400 || statusCode > 499)
        return internalComplaint(request.id);
      return { code: codeOfStatus(statusCode), detail: message };
  }
}

/** Internal errors lose their message. */
export function explainError(error: unknown, request: FastifyRequest): Complaint {
  if (!(error instanceof CountersignError))
    return isDatabaseTrouble(error)
      ? databaseComplaint(error, request)
      : explainFrameworkError(error, request);
  if (problemKinds[error.code].status === 500)
    return { ...internalComplaint(request.id), code: error.code };
  return { code: error.code, detail: error.message, details: error.details };
}

export function sendProblem(
  complaint: Complaint,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { status } = problemKinds[complaint.code];
  const path = request.url.split('?', 1)[0] ?? '/';
  const details =
    status >= 500 ? { ...complaint.details, request_id: request.id } : complaint.details;
  const problem = toProblem(details === undefined ? complaint : { ...complaint, details }, path);
  if (status === 401) reply.header('www-authenticate', 'Bearer realm="countersign"');
  if (status === 503) reply.header('retry-after', '5');
  const { retry_after_seconds: after } = complaint.details ?? {};
  if (status === 429 && typeof after === 'number') reply.header('retry-after', String(after));
  // They belong to the failed response.
  reply.removeHeader('content-disposition').removeHeader('content-length');
  return reply
    .code(status)
    .header('content-type', 'application/problem+json; charset=utf-8')
    .send(JSON.stringify(problem));
}

export function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler(async (error, request, reply) => {
    const complaint = explainError(error, request);
    if (problemKinds[complaint.code].status >= 500)
      request.log.error({ err: error }, complaint.code);
    else request.log.debug({ code: complaint.code }, complaint.detail);
    // A client still sending would see a broken connection.
    if (complaint.code === 'body_too_large') await drain(request.raw);
    return sendProblem(complaint, request, reply);
  });
}
