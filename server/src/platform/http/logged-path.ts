const HIDDEN = '[hidden]';
const PARAM = /^[:{]/;
const LITERAL = /^[\w-]+$/;

export type LoggedPaths = {
  /**
   * Hides parameters of a route from the log.
   * @param url of the route, with `:name` for each parameter
   * @param secrets names of the parameters; whatever follows the first of them is hidden as well
   */
  hide: (url: string, secrets: readonly string[]) => void;
  /** The path of a request as a log may show it: without its query, which may carry keys, and without hidden parameters. */
  of: (url: string) => string;
};

/** The paths of one server; a route declares its own secrets. */
export function createLoggedPaths(): LoggedPaths {
  const declared: string[] = [];
  let pattern: RegExp | undefined;
  return {
    hide(url, secrets) {
      declared.push(patternOf(url, secrets));
      // Anywhere in the path, in either case, with anything behind: proxies and clients write paths in many ways.
      pattern = new RegExp(`(${declared.join('|')})(.*)$`, 'is');
    },
    of(url) {
      const path = decoded(url.split('?')[0] ?? '');
      if (!pattern) return path;
      return path.replace(pattern, (_, known: string, rest: string) => (rest === '' ? known : `${known}/${HIDDEN}`));
    },
  };
}

/** The literal before the parameters, and the parameters before the first secret. */
function patternOf(url: string, secrets: readonly string[]): string {
  const segments = url.split('/');
  const first = segments.findIndex((segment) => PARAM.test(segment));
  const secret = segments.findIndex((segment) => secrets.includes(segment.slice(1)) && PARAM.test(segment));
  const literal = segments[first - 1];
  if (secret < 0 || literal === undefined || !LITERAL.test(literal)) {
    throw new Error(`${url} has no parameter ${secrets.join(', ')} behind a plain name`);
  }
  return secret === first ? literal : String.raw`${literal}(?:\/\w+){0,${secret - first}}`;
}

// As the router reads it: a letter of the path may be written as %61.
function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
