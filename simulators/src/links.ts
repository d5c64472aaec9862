import type { FastifyRequest } from 'fastify';
import type { Outside } from './outside/outside-file.ts';

/** Public address of the simulators: as configured, else from this request. */
export function publicBase(request: FastifyRequest, outside: Outside): string {
  return outside.simulatorsUrl?.replace(/\/$/, '') ?? `${request.protocol}://${request.host}`;
}

/** Address of the operator's site: as configured, or at the requested host. */
export function siteBase(request: FastifyRequest, { publicUrl, followHost }: Outside): string {
  const site = new URL(publicUrl);
  // An invalid host leaves the address unchanged.
  if (followHost.some((address) => new URL(address).origin === site.origin)) site.hostname = request.hostname;
  return site.origin;
}
