import type { FastifyInstance } from 'fastify';
import { DatabaseUnavailable } from '../database/database-unavailable.ts';
import type { WriteProbe } from '../database/write-probe.ts';

/**
 * `/health/live`: the process answers. `/health/ready`: it is not draining, and the database takes writes. A node that drains
 * answers 404, which HAProxy's `disable-on-404` tells from a failure: no new callers, and calls in flight come to their end.
 */
export function serveHealth(app: FastifyInstance, probe: WriteProbe): void {
  app.get('/health/live', async () => ({ status: 'live' }));
  app.get('/health/ready', async (request, reply) => {
    if (app.draining) return reply.code(404).send({ status: 'stopping' });
    try {
      await probe.check();
      return { status: 'ready' };
    } catch (error) {
      request.log.warn({ reason: String(error) }, 'not ready');
      const isLost = error instanceof DatabaseUnavailable && error.isLost;
      return reply.code(503).send({ status: isLost ? 'no database' : 'database refuses writes' });
    }
  });
}
