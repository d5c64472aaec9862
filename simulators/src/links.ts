import type { FastifyRequest } from 'fastify';
import type { Outside } from './outside-file.ts';

/** The address under which a browser reaches the simulators: as configured, else as this request came. */
export function publicBase(request: FastifyRequest, outside: Outside): string {
  return outside.simulatorsUrl?.replace(/\/$/, '') ?? `${request.protocol}://${request.host}`;
}

/** The same for the operator's site: as configured, or at the host by which these pages are reached. */
export function siteBase(request: FastifyRequest, { publicUrl, followHost }: Outside): string {
  const site = new URL(publicUrl);
  // What is no name of a host leaves the address as it is.
  if (followHost.some((address) => new URL(address).origin === site.origin)) site.hostname = request.hostname;
  return site.origin;
}
