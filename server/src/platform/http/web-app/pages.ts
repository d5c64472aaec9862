import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MEMBER_COOKIE } from '@krapao/contract/constants';
import { isLanguage } from '@krapao/contract/languages';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Variant } from '../../config.ts';
import { type RewriteAddress, createAddressRewriter } from '../requested-host.ts';
import { requestLanguage } from '../caller.ts';

/** On every answer that doesn't set its own. */
export const COMMON_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
} as const;

/** On everything that is not a page or a file of the app: never cached, and harmless if shown as a page. */
export const API_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

export type PageSources = {
  /** SHA-256 of inline scripts and styles of the page, as `'sha256-…'`. */
  scriptHashes: readonly string[];
  styleHashes: readonly string[];
  /** Origins of game sites that a launch form may be posted to. */
  formTargets: readonly string[];
  /** Other origins that the page connects to. */
  connectTargets: readonly string[];
};

/** What a page of the app may load, run, and be framed by: its own files, and nothing of third parties. */
export function pagePolicy(sources: PageSources): string {
  return Object.entries({
    'default-src': ["'none'"],
    'script-src': ["'self'", ...sources.scriptHashes],
    'style-src': ["'self'", ...sources.styleHashes],
    'img-src': ["'self'", 'data:', 'blob:', 'https:'],
    'media-src': ["'self'", 'blob:', 'https:'],
    'font-src': ["'self'"],
    'connect-src': ["'self'", ...sources.connectTargets],
    'worker-src': ["'self'"],
    'manifest-src': ["'self'"],
    'form-action': ["'self'", ...sources.formTargets],
    'base-uri': ["'none'"],
    'frame-ancestors': ["'none'"],
    // Text becomes html or a script URL only through the sanitiser and the one trusted-types policy of the app.
    'require-trusted-types-for': ["'script'"],
    'trusted-types': ['dompurify', 'krapao'],
  })
    .map(([name, values]) => `${name} ${values.join(' ')}`)
    .join('; ');
}

export type PageOptions = {
  /** Folder of the built app. */
  directory: string;
  /**
   * Folder of its pages: index.html, and optionally ADDRESS.LANGUAGE.html and not-found.LANGUAGE.html, each perhaps with .br and .gz
   * beside it.
   */
  pagesDirectory: string;
  /** The language of callers who have not chosen one. */
  variant: Variant;
  /** Origins of game sites that a launch form may be posted to. */
  formTargets: readonly string[];
  /** Other origins whose websockets the page connects to. */
  socketTargets: readonly string[];
};

/** Where a member's addresses without a page of their own lead. */
const HOME = '/user/home';
const LOGIN = '/login';
const NOT_FOUND = '/not-found';

type Page = {
  policy: (rewriteAddress: RewriteAddress) => string;
  etag: string;
  bodies: { encoding: string | undefined; body: Buffer }[];
};

/** Serves the pages of the app; returns false when there is none to serve. */
export type Pages = (request: FastifyRequest, reply: FastifyReply) => Promise<boolean>;

/** Reads the pages once: they are few and small, and each needs the hashes of its inline parts in its policy. */
export function readPages(options: PageOptions): Pages {
  const read = (name: string) => readPage(join(options.pagesDirectory, name), options);
  const index = read('index.html');
  const prerendered = new Map<string, Page>();
  for (const { address, language, file } of prerenderedFiles(options.pagesDirectory)) {
    const page = read(file);
    if (page) prerendered.set(`${address} ${language}`, page);
  }
  return async (request, reply) => {
    const { cookie } = request.headers;
    const language = requestLanguage(cookie, options.variant);
    const path = (request.url.split('?')[0] ?? '').replace(/(?<=.)\/$/, '');
    const address = pageAddress(path, SESSION.test(cookie ?? ''), (one) => prerendered.has(`${one} ${language}`));
    const page = prerendered.get(`${address} ${language}`) ?? index;
    if (!page) return false;
    await sendPage(page, request, reply);
    return true;
  };
}

const SESSION = new RegExp(`(?:^|;\\s*)${MEMBER_COOKIE}=1(?:;|$)`);

/**
 * The address whose page answers a path: what the app will lead to, as far as cookies show. They prove nothing, and no page holds
 * anything of a member: the wrong one costs time alone.
 */
function pageAddress(path: string, hasSession: boolean, isPage: (address: string) => boolean): string {
  const address = path === '/' || path === '' || path === '/user' ? HOME : path;
  if (!isPage(address)) return NOT_FOUND;
  return address.startsWith('/user/') && !hasSession ? LOGIN : address;
}

/** The prerendered pages of a folder: `user.home.th.html` is that of /user/home in Thai. */
function prerenderedFiles(directory: string): { address: string; language: string; file: string }[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory).flatMap((file) => {
    const [, name = '', language] = /^(.+)\.(\w+)\.html$/.exec(file) ?? [];
    return isLanguage(language) ? [{ address: `/${name.replaceAll('.', '/')}`, language, file }] : [];
  });
}

function readPage(
  path: string,
  { formTargets, socketTargets }: Pick<PageOptions, 'formTargets' | 'socketTargets'>,
): Page | undefined {
  if (!existsSync(path)) return undefined;
  const body = readFileSync(path);
  const html = body.toString('utf8');
  const bodies: Page['bodies'] = [];
  for (const [encoding, extension] of [
    ['br', '.br'],
    ['gzip', '.gz'],
  ] as const) {
    if (existsSync(path + extension)) bodies.push({ encoding, body: readFileSync(path + extension) });
  }
  bodies.push({ encoding: undefined, body });
  const hashes = inlineHashes(html);
  return {
    bodies,
    etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    policy: (rewriteAddress) =>
      pagePolicy({
        formTargets: formTargets.map(rewriteAddress),
        // Websockets alone: a page that may connect to `ws:` may to `wss:` of the same host.
        connectTargets: socketTargets.map((origin) => rewriteAddress(origin).replace(/^http/, 'ws')),
        ...hashes,
      }),
  };
}

/** Hashes of the scripts and styles that stand in the page itself. Data blocks (JSON) run nothing and need none. */
export function inlineHashes(html: string): { scriptHashes: string[]; styleHashes: string[] } {
  const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const scriptHashes: string[] = [];
  for (const [, attributes = '', text = ''] of html.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script>/gi)) {
    const type = /\btype="?([^"\s>]+)/i.exec(attributes)?.[1] ?? 'module';
    if (text !== '' && /^(module|text\/javascript|importmap|speculationrules)$/i.test(type))
      scriptHashes.push(hashOf(text));
  }
  const styles = [...html.matchAll(/<style\b[^>]*>([\s\S]*?)<\/style>/gi)];
  return { scriptHashes, styleHashes: styles.map(([, text = '']) => hashOf(text)) };
}

/** Cookies select page and language; the content security policy contains the requested host. */
const VARY = 'cookie, host, x-forwarded-host, x-forwarded-proto, accept-encoding';

async function sendPage(page: Page, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const accepted = String(request.headers['accept-encoding'] ?? '');
  const chosen = page.bodies.find(({ encoding }) => encoding === undefined || accepted.includes(encoding));
  void reply.headers({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': page.policy(createAddressRewriter(request)),
    // The page names the files of one build: browsers revalidate it each time, which costs nothing while it is
    // unchanged.
    'cache-control': 'no-cache',
    vary: VARY,
    etag: page.etag,
  });
  if (request.headers['if-none-match'] === page.etag) {
    await reply.code(304).send();
    return;
  }
  if (chosen?.encoding) void reply.header('content-encoding', chosen.encoding);
  await reply.code(200).send(chosen?.body);
}
