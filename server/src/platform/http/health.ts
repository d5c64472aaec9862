import type { FastifyInstance } from 'fastify';
import type { Database } from '../database.ts';

/** `/health/live`: the process answers. `/health/ready`: it wants requests, and the database answers too. */
export function serveHealth(app: FastifyInstance, database: Database): void {
  app.get('/health/live', async () => ({ status: 'live' }));
  app.get('/health/ready', async (request, reply) => {
    if (app.draining) return reply.code(503).send({ status: 'stopping' });
    try {
      await database.query('select 1');
      return { status: 'ready' };
    } catch (error) {
      request.log.warn({ err: error }, 'not ready');
      return reply.code(503).send({ status: 'no database' });
    }
  });
}
