import { monotonicMs } from '../../platform/time.ts';
import { storableText } from '../../platform/storable-text.ts';
import { type OutboundRequest, callOutside, OutboundFailure } from '../../platform/http/outbound.ts';
import type { GameConfig } from './config.ts';
import { type ProviderCall, type Dialect, type Fields, jsonBody, type CallSignature } from './dialect.ts';
import type { Created, GameProvider, Launch, Outcome, Player, ProviderBalance, Refused, Unknown } from './port.ts';

export type AdapterParts = {
  name: string;
  config: Pick<GameConfig, 'url' | 'timeoutMs'>;
  dialect: Dialect;
  site: string;
  usualSite: string;
};

/**
 * The adapter of every provider: signs, sends, and distinguishes success, proven refusal and unknown outcome. A dialect
 * defines what is specific to a kind of provider.
 * @param parts.site site that browsers open
 * @param parts.usualSite site of the default variant, to which the provider's own links point
 */
export function adapter({ name, config, dialect, site, usualSite }: AdapterParts): GameProvider {
  const ask = <T>(call: ProviderCall<T>, timeoutMs = config.timeoutMs): Promise<Outcome<T>> =>
    askProvider({ config, dialect, call, timeoutMs, endsAtMs: monotonicMs() + timeoutMs, over: undefined });
  const { check } = dialect;
  return {
    name,
    timeoutMs: config.timeoutMs,
    site,
    create: (player) => createPlayer(dialect, player, ask),
    async setPassword(player) {
      const set = await ask(dialect.setPassword(player));
      return set.outcome === 'done' ? { outcome: 'done', value: undefined } : set;
    },
    balance: (username, timeoutMs = config.timeoutMs) => readBalance(dialect, username, ask, timeoutMs),
    move: (movement) => ask(dialect.move(movement)),
    check: check && ((movement) => ask(check(movement))),
    isLockedByOpenBets: Object.values(dialect.codes).includes('open-bets'),
    launch: launchOf(dialect, { site, usualSite }, ask),
  };
}

type Ask = <T>(call: ProviderCall<T>, timeoutMs?: number) => Promise<Outcome<T>>;

const READINGS_MAX = 3;

/** A player whose password could not be set exists nevertheless: this is not a proven refusal. */
async function createPlayer(dialect: Dialect, player: Player, ask: Ask): Promise<Outcome<Created>> {
  const created = await ask(dialect.create(player));
  if (created.outcome !== 'done' || !dialect.isPasswordApart) return created;
  const set = await ask(dialect.setPassword(player));
  return set.outcome === 'done' ? created : { outcome: 'unknown', note: `the password was not set: ${set.note}` };
}

/**
 * Cash and open stakes. Where two calls return them, stakes are read before and after: the values are consistent only
 * if no bet was placed or settled in between.
 */
async function readBalance(
  dialect: Dialect,
  username: string,
  ask: Ask,
  timeoutMs: number,
): Promise<Outcome<ProviderBalance>> {
  if (!dialect.outstanding) return ask(dialect.balance(username), timeoutMs);
  const end = { endsAtMs: monotonicMs() + timeoutMs };
  let before = await ask(dialect.outstanding(username), leftMs(end));
  for (let reading = 1; before.outcome === 'done' && reading <= READINGS_MAX; reading += 1) {
    const balance = await ask(dialect.balance(username), leftMs(end));
    if (balance.outcome !== 'done') return balance;
    const after = await ask(dialect.outstanding(username), leftMs(end));
    if (after.outcome !== 'done') return after;
    const { outstanding, mark } = after.value;
    if (before.value.mark === mark && before.value.outstanding === outstanding)
      return { outcome: 'done', value: { ...balance.value, outstanding } };
    before = after;
  }
  return before.outcome === 'done'
    ? { outcome: 'unknown', note: 'bets were made or settled while the balance was read' }
    : before;
}

type Sites = Pick<AdapterParts, 'site' | 'usualSite'>;

function launchOf({ launch }: Dialect, sites: Sites, ask: Ask): Launch {
  const { site } = sites;
  if (launch.kind === 'fixed') return { kind: 'fixed', address: `${site}${launch.path}` };
  if (launch.kind === 'form') return { kind: 'form', form: (player, options) => launch.form(player, options, site) };
  const { needsPassword } = launch;
  const open: Extract<Launch, { kind: 'link' }>['open'] = async (options) => {
    if ('build' in launch) return { outcome: 'done', value: { link: launch.build(options, site) } };
    const opened = await ask(launch.ask(options, site));
    return opened.outcome === 'done' ? { outcome: 'done', value: { link: atSite(opened.value.link, sites) } } : opened;
  };
  return { kind: 'link', needsPassword, open };
}

/** Maps a page of the provider's default site to the requested variant; other addresses stay unchanged. */
function atSite(link: string, { site, usualSite }: Sites): string {
  const isUsual = link.startsWith(`${usualSite}/`) && !link.startsWith(`${site}/`);
  return isUsual ? `${site}${link.slice(usualSite.length)}` : link;
}

type Asking<T> = {
  config: Pick<GameConfig, 'url'>;
  dialect: Dialect;
  call: ProviderCall<T>;
  timeoutMs: number;
  endsAtMs: number;
  /** The previous signature, if the provider called it expired. */
  over: CallSignature | undefined;
};

async function askProvider<T>(asking: Asking<T>): Promise<Outcome<T>> {
  const { config, dialect, call, over } = asking;
  const { method, path, fields = {} } = call;
  const signature = await dialect.sign({ method, path, fields }, { over, timeoutMs: leftMs(asking) });
  if (isRefused(signature)) return signature;
  const timeoutMs = leftMs(asking);
  // Signing may need a login first. A call sent with too little time left would most likely end with an unknown
  // outcome.
  if (timeoutMs < asking.timeoutMs / 2) return { outcome: 'refused', reason: 'unreachable', note: 'too late to send' };
  const request = encode(dialect, config.url, { method, path, fields }, signature);
  const answered = await exchange({ ...request, timeoutMs }, dialect.statuses);
  if (answered.outcome !== 'answered') return answered;
  const verdict = dialect.verdict(answered.json, answered.status, { method, path, fields });
  if (!verdict) return { outcome: 'unknown', note: 'malformed answer' };
  if ('code' in verdict) return refuse(asking, verdict.code, signature);
  const value = call.read(verdict.data);
  return value === undefined
    ? { outcome: 'unknown', note: 'malformed answer, or about something else' }
    : { outcome: 'done', value };
}

const leftMs = ({ endsAtMs }: Pick<Asking<unknown>, 'endsAtMs'>): number =>
  Math.max(1, Math.ceil(endsAtMs - monotonicMs()));

async function refuse<T>(asking: Asking<T>, code: string, signature: CallSignature): Promise<Outcome<T>> {
  // Queued, throttled, or an unknown code: a code without a documented meaning is not a refusal.
  const { codes } = asking.dialect;
  const meaning = (Object.hasOwn(codes, code) && codes[code]) || 'unknown';
  // Notes contain codes of the provider, never its texts: they may repeat what was sent.
  const note = `code ${storableText(code, 40)}`;
  if (meaning === 'unknown') return { outcome: 'unknown', note };
  if (meaning !== 'renew') return { outcome: 'refused', reason: meaning, note };
  return asking.over ? { outcome: 'refused', reason: 'declined', note } : askProvider({ ...asking, over: signature });
}

const isRefused = (signed: CallSignature | Refused): signed is Refused => 'outcome' in signed;

type Signed = Pick<ProviderCall<unknown>, 'method' | 'path'> & { fields: Fields };

function encode(
  { encoding }: Dialect,
  url: string,
  { method, path, fields }: Signed,
  signature: CallSignature,
): Omit<OutboundRequest, 'timeoutMs'> {
  const all = { ...fields, ...signature.fields };
  const query = queryText({ ...(method === 'GET' ? all : {}), ...signature.query });
  const address = `${url}${path}${query === '' ? '' : `?${query}`}`;
  if (method === 'GET') return { method, url: address, headers: { ...signature.headers } };
  const [type, body] =
    encoding === 'json' ? ['application/json', jsonBody(all)] : ['application/x-www-form-urlencoded', queryText(all)];
  return { method, url: address, headers: { 'content-type': type, ...signature.headers }, body };
}

const queryText = (fields: Fields): string =>
  new URLSearchParams(
    Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();

export type HttpExchange = { outcome: 'answered'; json: unknown; status: number } | Refused | Unknown;

/**
 * One HTTP call whose answer is JSON with a status that the provider is known to use, refusals included. Anything else
 * proves nothing, except a failed connection. Notes contain no address, because it may hold a key.
 */
export async function exchange(request: OutboundRequest, statuses: readonly number[] = [200]): Promise<HttpExchange> {
  try {
    const { status, text } = await callOutside(request);
    return statuses.includes(status) ? readJson(text, status) : unknown(`HTTP ${status}`);
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error;
    if (error.outcome === 'unsent') return { outcome: 'refused', reason: 'unreachable', note: error.message };
    return unknown(error.message);
  }
}

const unknown = (note: string): Unknown => ({ outcome: 'unknown', note });

function readJson(text: string, status: number): HttpExchange {
  try {
    return { outcome: 'answered', json: JSON.parse(text) as unknown, status };
  } catch {
    return unknown('the answer is not JSON');
  }
}
