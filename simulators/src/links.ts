import type { FastifyRequest } from 'fastify';
import type { Outside } from './outside-file.ts';

/** The address under which a browser reaches the simulators: as configured, else as this request came. */
export function publicBase(request: FastifyRequest, outside: Outside): string {
  return outside.simulatorsUrl?.replace(/\/$/, '') ?? `${request.protocol}://${request.host}`;
}
