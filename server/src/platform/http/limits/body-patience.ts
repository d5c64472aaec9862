import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * Closes connections whose request body does not come to an end in time. Uploads have a patience of their own, so that
 * the server as a whole must wait as long as the longest of them.
 * @param ms from the head of a request to the last byte of its body
 */
export function useBodyPatience(app: FastifyInstance, ms: number): void {
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
