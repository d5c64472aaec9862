import type { FastifyInstance } from 'fastify';

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const;

/**
 * Says why a path is not served: 405 with its methods, 404 when it has none. Routes that are added later are known too.
 */
export function unknownPaths(
  app: FastifyInstance,
): (path: string, method: string) => { status: number; allow?: string; detail: string } {
  const served: { pattern: RegExp; method: string }[] = [];
  app.addHook('onRoute', (options) => {
    if (options.url.includes('*')) return;
    const pattern = new RegExp(`^${options.url.replaceAll(/:\w+/g, '[^/]+')}$`);
    for (const method of [options.method].flat()) served.push({ pattern, method });
  });
  return (path, method) => {
    const found = new Set(served.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method));
    const methods = METHODS.filter((method) => found.has(method));
    // With the right method, the cause is a path parameter that is too long.
    if (methods.length === 0 || found.has(method)) return { status: 404, detail: 'UNKNOWN_PATH' };
    return { status: 405, allow: methods.join(', '), detail: 'METHOD_NOT_ALLOWED' };
  };
}
