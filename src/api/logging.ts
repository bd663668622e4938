// What is logged about requests: one line each at debug, faults at error, never a header, a body or a query.
import { type FastifyBaseLogger, LogController } from 'fastify';
import type { Logger } from 'pino';

/** Streams that break after their first byte are faults; clients that leave are not. */
class QuietLog extends LogController {
  constructor() {
    super({ disableRequestLogging: true, requestIdLogLabel: 'request_id' });
  }

  override streamError(...[error, request]: Parameters<LogController['streamError']>): void {
    const left = 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
    if (left) request.log.debug('the client left before the end');
    else request.log.error({ err: error }, 'the answer broke off');
  }
}

/** The logging options of the server; tokens that a plugin might log by accident are masked. */
export function loggingOptions(log: Logger | false): {
  logController: LogController;
  loggerInstance?: FastifyBaseLogger;
} {
  const logController = new QuietLog();
  if (log === false) return { logController };
  const redact = [
    'req.headers.authorization',
    'req.headers.cookie',
    'headers.authorization',
    'headers.cookie',
    'authorization',
  ];
  return { logController, loggerInstance: log.child({ part: 'api' }, { redact }) };
}
