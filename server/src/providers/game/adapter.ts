import type { OutboundRequest } from '../../platform/outbound.ts';
import type { GameConfig } from './configs.ts';
import { type Call, type Dialect, type Fields, jsonBody, type Signature } from './dialect.ts';
import { exchange } from './exchange.ts';
import type { GameProvider, Launch, Outcome, ProviderBalance, Refused } from './port.ts';

export type AdapterParts = {
  name: string;
  config: Pick<GameConfig, 'url' | 'timeoutMs'>;
  dialect: Dialect;
  site: string;
};

/**
 * The adapter of every provider: signs, sends, and tells a yes, a proven no and silence apart. What is peculiar to a kind
 * of provider stands in its dialect.
 * @param parts.site what browsers open of the provider
 */
export function adapter({ name, config, dialect, site }: AdapterParts): GameProvider {
  const ask = <T>(call: Call<T>, timeoutMs = config.timeoutMs): Promise<Outcome<T>> =>
    askProvider({ config, dialect, call, timeoutMs, isRenewed: false });
  const { check } = dialect;
  return {
    name,
    timeoutMs: config.timeoutMs,
    site,
    create: (player) => ask(dialect.create(player)),
    async setPassword(player) {
      const set = await ask(dialect.setPassword(player));
      return set.outcome === 'done' ? { outcome: 'done', value: undefined } : set;
    },
    balance: (username, timeoutMs) => readBalance(dialect, username, (call) => ask(call, timeoutMs)),
    move: (movement) => ask(dialect.move(movement)),
    check: check && ((movement) => ask(check(movement))),
    launch: launchOf(dialect, site, ask),
  };
}

type Ask = <T>(call: Call<T>) => Promise<Outcome<T>>;

/**
 * Cash and open stakes. Where they are told apart, stakes are asked for before and after: a bet that is made in between
 * must not be counted twice.
 */
async function readBalance(dialect: Dialect, username: string, ask: Ask): Promise<Outcome<ProviderBalance>> {
  if (!dialect.outstanding) return ask(dialect.balance(username));
  const before = await ask(dialect.outstanding(username));
  if (before.outcome !== 'done') return before;
  const balance = await ask(dialect.balance(username));
  if (balance.outcome !== 'done') return balance;
  const after = await ask(dialect.outstanding(username));
  if (after.outcome !== 'done') return after;
  return before.value === after.value
    ? { outcome: 'done', value: { ...balance.value, outstanding: after.value } }
    : { outcome: 'unknown', note: 'bets were made or settled while the balance was read' };
}

function launchOf({ launch }: Dialect, site: string, ask: Ask): Launch {
  if (launch.kind === 'fixed') return { kind: 'fixed', address: `${site}${launch.path}` };
  if (launch.kind === 'form') return { kind: 'form', form: (player) => launch.form(player, site) };
  const { needsPassword } = launch;
  if ('ask' in launch) return { kind: 'link', needsPassword, open: (wish) => ask(launch.ask(wish)) };
  const open: Extract<Launch, { kind: 'link' }>['open'] = async (wish) => ({
    outcome: 'done',
    value: { link: launch.build(wish, site) },
  });
  return { kind: 'link', needsPassword, open };
}

type Asking<T> = {
  config: Pick<GameConfig, 'url' | 'timeoutMs'>;
  dialect: Dialect;
  call: Call<T>;
  timeoutMs: number;
  isRenewed: boolean;
};

async function askProvider<T>(asking: Asking<T>): Promise<Outcome<T>> {
  const { config, dialect, call, timeoutMs, isRenewed } = asking;
  const { method, path, fields = {} } = call;
  const signature = await dialect.sign({ method, path, fields }, isRenewed);
  if (isRefused(signature)) return signature;
  const request = encode(dialect, config.url, { method, path, fields }, signature);
  const answered = await exchange({ ...request, timeoutMs }, dialect.statuses);
  if (answered.outcome !== 'answered') return answered;
  const verdict = dialect.verdict(answered.json, answered.status);
  if (!verdict) return { outcome: 'unknown', note: 'answer of another shape' };
  if ('code' in verdict) return refuse(asking, verdict.code);
  const value = call.read(verdict.data);
  return value === undefined
    ? { outcome: 'unknown', note: 'answer of another shape, or about something else' }
    : { outcome: 'done', value };
}

async function refuse<T>(asking: Asking<T>, code: string): Promise<Outcome<T>> {
  const meaning = asking.dialect.codes[code] ?? 'declined';
  // Own words of the provider in a note, never its texts: they may repeat what was sent.
  const note = `code ${code.slice(0, 40)}`;
  if (meaning === 'unknown') return { outcome: 'unknown', note };
  if (meaning !== 'renew') return { outcome: 'refused', reason: meaning, note };
  return asking.isRenewed
    ? { outcome: 'refused', reason: 'declined', note }
    : askProvider({ ...asking, isRenewed: true });
}

const isRefused = (signed: Signature | Refused): signed is Refused => 'outcome' in signed;

type Signed = Pick<Call<unknown>, 'method' | 'path'> & { fields: Fields };

function encode(
  { encoding }: Dialect,
  url: string,
  { method, path, fields }: Signed,
  signature: Signature,
): Omit<OutboundRequest, 'timeoutMs'> {
  const all = { ...fields, ...signature.fields };
  const inQuery = method === 'GET' || encoding === 'query';
  const query = queryText({ ...(inQuery ? all : {}), ...signature.query });
  const address = `${url}${path}${query === '' ? '' : `?${query}`}`;
  if (inQuery) return { method, url: address, headers: { ...signature.headers } };
  const [type, body] =
    encoding === 'json' ? ['application/json', jsonBody(all)] : ['application/x-www-form-urlencoded', queryText(all)];
  return { method, url: address, headers: { 'content-type': type, ...signature.headers }, body };
}

const queryText = (fields: Fields): string =>
  new URLSearchParams(
    Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
