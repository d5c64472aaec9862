import type { FastifyRequest } from 'fastify';
import type { Outside } from './outside/outside-file.ts';

/** Public URL of the simulators: from the settings, else from the request. */
export function publicBase(request: FastifyRequest, outside: Outside): string {
  return outside.simulatorsUrl?.replace(/\/$/, '') ?? `${request.protocol}://${request.host}`;
}

/** URL of the operator's site: from the settings, or at the requested host. */
export function siteBase(request: FastifyRequest, { publicUrl, followHost }: Outside): string {
  const siteUrl = new URL(publicUrl);
  // An invalid host leaves the URL unchanged.
  if (followHost.some((address) => new URL(address).origin === siteUrl.origin)) siteUrl.hostname = request.hostname;
  return siteUrl.origin;
}
