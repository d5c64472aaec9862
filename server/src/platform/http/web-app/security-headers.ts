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
  /** Origins that the page connects to besides its own. */
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
