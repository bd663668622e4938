// Bytes that are not HTTP, or whose head is too large: they never become a request, so their problem is written to the socket.
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { toProblem } from './problem.ts';

/** Statuses of Node's parser errors; anything else is 400. */
const statuses: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

export function answerBrokenRequests(error: Error, socket: Socket): void {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = statuses[code] ?? 400;
  const detail = `The request is not HTTP that can be read here (${STATUS_CODES[status] ?? 'Bad Request'}).`;
  const body = JSON.stringify({ ...toProblem({ code: 'invalid_request', detail }, '/'), status });
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Bad Request'}`,
      'content-type: application/problem+json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
