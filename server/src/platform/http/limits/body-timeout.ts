import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * Closes connections whose request body is not complete in time. Uploads have their own timeout, so the server's global
 * timeout has to be as long as the longest of them.
 * @param ms from the head of a request to the last byte of its body
 */
export function useBodyTimeout(app: FastifyInstance, ms: number): void {
  app.addHook('onRequest', async (request) => {
    if (!hasBody(request) || request.routeOptions.config.endpoint?.upload === true) return;
    const { raw } = request;
    const timer = setTimeout(() => raw.socket.destroy(), ms);
    timer.unref();
    raw.once('close', () => clearTimeout(timer));
  });
}

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
