import { type OutboundRequest, callOutside, OutboundFailure } from '../../platform/http/outbound.ts';
import { newReference } from '../../platform/ids.ts';
import { storableText } from '../../platform/storable-text.ts';
import { monotonicMs } from '../../platform/time.ts';
import { failedProbe, PROVEN, type ProbeOutcome } from '../probe.ts';
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
 * Adapter of all providers: signs, sends, and distinguishes success, proven refusal and unknown outcome. A dialect
 * defines the specifics of a kind of provider.
 * @param parts.site site that browsers open
 * @param parts.usualSite site of the default variant, which the provider's own links contain
 */
export function adapter({ name, config, dialect, site, usualSite }: AdapterParts): GameProvider {
  const callProvider = <T>(call: ProviderCall<T>, timeoutMs = config.timeoutMs): Promise<Outcome<T>> =>
    askProvider({ config, dialect, call, timeoutMs, endsAtMs: monotonicMs() + timeoutMs, over: undefined });
  const { check } = dialect;
  return {
    name,
    timeoutMs: config.timeoutMs,
    site,
    create: (player) => createPlayer(dialect, player, callProvider),
    async setPassword(player) {
      const passwordOutcome = await callProvider(dialect.setPassword(player));
      return passwordOutcome.outcome === 'done' ? { outcome: 'done', value: undefined } : passwordOutcome;
    },
    balance: (username, timeoutMs = config.timeoutMs) => readBalance(dialect, username, callProvider, timeoutMs),
    move: (movement) => callProvider(dialect.move(movement)),
    check: check && ((movement) => callProvider(check(movement))),
    probe: async () =>
      readProbe(await readBalance(dialect, newReference(NAME_CHARACTERS), callProvider, config.timeoutMs)),
    unprobed: dialect.unprobed,
    isLockedByOpenBets: Object.values(dialect.codes).includes('open-bets'),
    launch: launchOf(dialect, { site, usualSite }, callProvider),
  };
}

type ProviderCaller = <T>(call: ProviderCall<T>, timeoutMs?: number) => Promise<Outcome<T>>;

const READINGS_MAX = 3;
const NAME_CHARACTERS = 12;

/** A player whose password could not be set exists nevertheless, so this is not a proven refusal. */
async function createPlayer(dialect: Dialect, player: Player, callProvider: ProviderCaller): Promise<Outcome<Created>> {
  const creation = await callProvider(dialect.create(player));
  if (creation.outcome !== 'done' || !dialect.isPasswordApart) return creation;
  const passwordOutcome = await callProvider(dialect.setPassword(player));
  return passwordOutcome.outcome === 'done'
    ? creation
    : { outcome: 'unknown', note: `the password was not set: ${passwordOutcome.note}` };
}

/**
 * Reads cash and open stakes. When two calls return them, stakes are read before and after: the values are consistent
 * only if no bet was placed or settled in between.
 */
async function readBalance(
  dialect: Dialect,
  username: string,
  callProvider: ProviderCaller,
  timeoutMs: number,
): Promise<Outcome<ProviderBalance>> {
  if (!dialect.outstanding) return callProvider(dialect.balance(username), timeoutMs);
  const deadline = { endsAtMs: monotonicMs() + timeoutMs };
  let balanceBefore = await callProvider(dialect.outstanding(username), leftMs(deadline));
  for (let reading = 1; balanceBefore.outcome === 'done' && reading <= READINGS_MAX; reading += 1) {
    const balance = await callProvider(dialect.balance(username), leftMs(deadline));
    if (balance.outcome !== 'done') return balance;
    const balanceAfter = await callProvider(dialect.outstanding(username), leftMs(deadline));
    if (balanceAfter.outcome !== 'done') return balanceAfter;
    const { outstanding, mark } = balanceAfter.value;
    if (balanceBefore.value.mark === mark && balanceBefore.value.outstanding === outstanding)
      return { outcome: 'done', value: { ...balance.value, outstanding } };
    balanceBefore = balanceAfter;
  }
  return balanceBefore.outcome === 'done'
    ? { outcome: 'unknown', note: 'bets were made or settled while the balance was read' }
    : balanceBefore;
}

/** The provider refuses wrong credentials before it looks for the player. */
function readProbe(balance: Outcome<ProviderBalance>): ProbeOutcome {
  if (balance.outcome === 'done') return PROVEN;
  if (balance.outcome === 'unknown') return failedProbe(balance.note);
  if (balance.reason === 'no-player') return PROVEN;
  return balance.reason === 'maintenance'
    ? { outcome: 'unproven', reason: 'it is closed for maintenance' }
    : failedProbe(balance.note);
}

type SiteAddresses = Pick<AdapterParts, 'site' | 'usualSite'>;

function launchOf({ launch }: Dialect, sites: SiteAddresses, callProvider: ProviderCaller): Launch {
  const { site } = sites;
  if (launch.kind === 'fixed') return { kind: 'fixed', address: `${site}${launch.path}` };
  if (launch.kind === 'form') return { kind: 'form', form: (player, options) => launch.form(player, options, site) };
  const { needsPassword } = launch;
  const openLink: Extract<Launch, { kind: 'link' }>['open'] = async (options) => {
    if ('build' in launch) return { outcome: 'done', value: { link: launch.build(options, site) } };
    const opening = await callProvider(launch.ask(options, site));
    return opening.outcome === 'done'
      ? { outcome: 'done', value: { link: atSite(opening.value.link, sites) } }
      : opening;
  };
  return { kind: 'link', needsPassword, open: openLink };
}

/** Replaces the provider's default site in a link by the requested variant; other links stay unchanged. */
function atSite(link: string, { site, usualSite }: SiteAddresses): string {
  const isUsual = link.startsWith(`${usualSite}/`) && !link.startsWith(`${site}/`);
  return isUsual ? `${site}${link.slice(usualSite.length)}` : link;
}

type CallContext<T> = {
  config: Pick<GameConfig, 'url'>;
  dialect: Dialect;
  call: ProviderCall<T>;
  timeoutMs: number;
  endsAtMs: number;
  /** Previous signature, if the provider has refused it as expired. */
  over: CallSignature | undefined;
};

async function askProvider<T>(context: CallContext<T>): Promise<Outcome<T>> {
  const { config, dialect, call, over: expiredSignature } = context;
  const { method, path, fields = {} } = call;
  const signature = await dialect.sign(
    { method, path, fields },
    { over: expiredSignature, timeoutMs: leftMs(context) },
  );
  if (isRefused(signature)) return signature;
  const timeoutMs = leftMs(context);
  // Signing may need a login first. A call sent with too little remaining time would most likely end with an unknown
  // outcome.
  if (timeoutMs < context.timeoutMs / 2) return { outcome: 'refused', reason: 'unreachable', note: 'too late to send' };
  const request = encode(dialect, config.url, { method, path, fields }, signature);
  const reply = await exchange({ ...request, timeoutMs }, dialect.statuses);
  if (reply.outcome !== 'answered') return reply;
  const verdict = dialect.verdict(reply.json, reply.status, { method, path, fields });
  if (!verdict) return { outcome: 'unknown', note: 'malformed reply' };
  if ('code' in verdict) return refusalOutcome(context, verdict.code, signature);
  const value = call.read(verdict.data);
  return value === undefined
    ? { outcome: 'unknown', note: 'malformed reply, or about something else' }
    : { outcome: 'done', value };
}

const leftMs = ({ endsAtMs }: Pick<CallContext<unknown>, 'endsAtMs'>): number =>
  Math.max(1, Math.ceil(endsAtMs - monotonicMs()));

async function refusalOutcome<T>(context: CallContext<T>, code: string, signature: CallSignature): Promise<Outcome<T>> {
  // Queued, throttled, or an unknown code: a code without a documented meaning is not a refusal.
  const { codes } = context.dialect;
  const meaning = (Object.hasOwn(codes, code) && codes[code]) || 'unknown';
  // Notes contain codes of the provider, never its texts, which may repeat sent data.
  const note = `code ${storableText(code, 40)}`;
  if (meaning === 'unknown') return { outcome: 'unknown', note };
  if (meaning !== 'renew') return { outcome: 'refused', reason: meaning, note };
  return context.over ? { outcome: 'refused', reason: 'declined', note } : askProvider({ ...context, over: signature });
}

const isRefused = (signed: CallSignature | Refused): signed is Refused => 'outcome' in signed;

type SignedCall = Pick<ProviderCall<unknown>, 'method' | 'path'> & { fields: Fields };

function encode(
  { encoding }: Dialect,
  url: string,
  { method, path, fields }: SignedCall,
  signature: CallSignature,
): Omit<OutboundRequest, 'timeoutMs'> {
  const allFields = { ...fields, ...signature.fields };
  const query = queryText({ ...(method === 'GET' ? allFields : {}), ...signature.query });
  const address = `${url}${path}${query === '' ? '' : `?${query}`}`;
  if (method === 'GET') return { method, url: address, headers: { ...signature.headers } };
  const [type, body] =
    encoding === 'json'
      ? ['application/json', jsonBody(allFields)]
      : ['application/x-www-form-urlencoded', queryText(allFields)];
  return { method, url: address, headers: { 'content-type': type, ...signature.headers }, body };
}

const queryText = (fields: Fields): string =>
  new URLSearchParams(
    Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();

export type HttpExchange = { outcome: 'answered'; json: unknown; status: number } | Refused | Unknown;

/**
 * Sends one HTTP call. A reply is JSON with a status that the provider documents, refusals included. Anything else
 * proves nothing, except a failed connection. Notes contain no URL, because it may hold a key.
 */
export async function exchange(request: OutboundRequest, statuses: readonly number[] = [200]): Promise<HttpExchange> {
  try {
    const { status, text } = await callOutside(request);
    return statuses.includes(status) ? readJson(text, status) : unknownOutcome(`HTTP ${status}`);
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error;
    if (error.outcome === 'unsent') return { outcome: 'refused', reason: 'unreachable', note: error.message };
    return unknownOutcome(error.message);
  }
}

const unknownOutcome = (note: string): Unknown => ({ outcome: 'unknown', note });

function readJson(text: string, status: number): HttpExchange {
  try {
    return { outcome: 'answered', json: JSON.parse(text) as unknown, status };
  } catch {
    return unknownOutcome('the reply is not JSON');
  }
}
