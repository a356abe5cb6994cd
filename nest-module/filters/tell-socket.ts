import { Logger, type ArgumentsHost } from '@nestjs/common';

interface Socket {
  emit?(event: string, data: object): void;
  /** Of the `ws` package, where `emit` is not heard by the other side. */
  readonly readyState?: unknown;
  send?(text: string): void;
}

const logger = new Logger('ResilienceExceptionFilter');
const MESSAGE = { status: 'error', message: 'Internal server error' };

/**
 * Nest's own words to a WebSocket. It leaves an error to the filter that takes it, whatever the filter does; one that
 * throws ends the process.
 */
export function tellSocket(error: unknown, host: ArgumentsHost): void {
  const socket = host.switchToWs().getClient<Socket>();
  if (typeof socket.readyState === 'number') {
    socket.send?.(JSON.stringify({ event: 'exception', data: MESSAGE }));
  } else {
    socket.emit?.('exception', MESSAGE);
  }
  logger.error(error);
}
