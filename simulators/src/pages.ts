import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply } from 'fastify';

const PUBLIC_DIRECTORY = fileURLToPath(new URL('../public', import.meta.url));

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Content security policy: pages load only their own files, so that no foreign script can run. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'";

const OWN_IMAGES = "img-src 'self' data: blob:";
/** The operator's site or its bucket serves customers' files. */
const ALL_IMAGES = "img-src 'self' data: http: https:; media-src http: https:";

/** Files of other packages that the pages load, by URL name. */
const VENDORED_FILES: Readonly<Record<string, string>> = {
  'vendor/jsqr.js': 'jsqr/dist/jsQR.js',
  'vendor/noto-sans-thai.woff2': '@fontsource-variable/noto-sans-thai/files/noto-sans-thai-thai-wght-normal.woff2',
  'vendor/noto-sans-lao.woff2': '@fontsource-variable/noto-sans-lao/files/noto-sans-lao-lao-wght-normal.woff2',
  'vendor/noto-sans-latin.woff2': '@fontsource-variable/noto-sans-thai/files/noto-sans-thai-latin-wght-normal.woff2',
};

type CachedFile = { type: string; content: Buffer };

/** The pages and their files, read once at start. */
export class Pages {
  readonly #files = new Map<string, CachedFile>();

  constructor() {
    for (const entry of readdirSync(PUBLIC_DIRECTORY, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile()) this.#read(relative(PUBLIC_DIRECTORY, path).split(sep).join('/'), path);
    }
    for (const [name, sourcePath] of Object.entries(VENDORED_FILES))
      this.#read(name, fileURLToPath(import.meta.resolve(sourcePath)));
  }

  has(name: string): boolean {
    return this.#files.has(name);
  }

  /** Sends a file by name; 404 for an unknown name. `showsFiles`: the page shows images and videos of other sites. */
  send(reply: FastifyReply, name: string, { showsFiles = false } = {}): FastifyReply {
    const file = this.#files.get(name);
    if (!file) return reply.code(404).send({ error: 'not_found', message: 'There is nothing here' });
    return reply
      .type(file.type)
      .header('content-security-policy', `${CONTENT_SECURITY_POLICY}; ${showsFiles ? ALL_IMAGES : OWN_IMAGES}`)
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'no-referrer')
      .header('cache-control', name.startsWith('vendor/') ? 'public, max-age=604800' : 'no-cache')
      .send(file.content);
  }

  /** Serves everything but the pages themselves under `/assets/`. */
  register(app: FastifyInstance): void {
    app.get<{ Params: { '*': string } }>('/assets/*', (request, reply) => this.send(reply, request.params['*']));
  }

  #read(name: string, path: string): void {
    const type = CONTENT_TYPES[extname(path)];
    if (type) this.#files.set(name, { type, content: readFileSync(path) });
  }
}
