import { strict as assert } from 'node:assert';
import type { ApiReply } from '../harness/api-client.ts';
import { newAccountNo, registerMember, type TestMember } from '../harness/members.ts';
import type { System } from '../harness/system.ts';

/** Numbers that look random and are the same for the same seed (mulberry32). */
export function randomOf(seed: number): { below(limit: number): number; pick<T>(items: readonly T[]): T } {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return { below, pick: (items) => items[below(items.length)] as never };
}
export type Random = ReturnType<typeof randomOf>;

/** A person of the day: their bank app, their wallet app, and how they call us. */
type Person = TestMember & { games: { code: string; username: string }[] };

/** What can go wrong outside, each now and then. */
const FAULTS: readonly Record<string, unknown>[] = [
  { target: 'kbank', fault: 'timeout-applied', call: 'qr_request' },
  { target: 'kbank', fault: 'error-500', call: 'inquire_payment', times: 2 },
  { target: 'kbank', fault: 'callback-twice' },
  { target: 'kbank', fault: 'callback-forged' },
  { target: 'bank', fault: 'timeout-applied', call: 'payouts' },
  { target: 'bank', fault: 'timeout-lost', call: 'payouts' },
  { target: 'bank', fault: 'garbage', call: 'payouts' },
  { target: 'bank', fault: 'error-500', call: 'payouts', applied: true },
  { target: 'bank', fault: 'decline', call: 'payouts' },
  { target: 'bank', fault: 'payout-failed' },
  { target: 'bank', fault: 'callback-forged', call: 'payout', applied: true },
  { target: 'bank', fault: 'error-500', call: 'feed', times: 3 },
  { target: 'bank', fault: 'line-twice' },
  { target: 'bank', fault: 'line-late', delayMs: 700 },
  { target: 'wallet-app', fault: 'callback-twice' },
  { target: 'wallet-app', fault: 'error-500', call: 'transactions' },
  { target: 'game:pg', fault: 'timeout-applied', call: 'TransferIn' },
  { target: 'game:pg', fault: 'timeout-lost', call: 'TransferOut' },
  { target: 'game:pg', fault: 'garbage', call: 'TransferOut' },
  { target: 'game:askmebet', fault: 'timeout-applied', call: 'withdraw' },
  { target: 'game:askmebet', fault: 'error-500', call: 'deposit' },
  { target: 'game:askmebet', fault: 'decline', call: 'deposit' },
];

/** Everything that was answered during the day, for who wants to know that something happened. */
export type Tally = Map<string, number>;

/**
 * Lets people do what people do, several at once, while the outside misbehaves. Ends when everybody has done all.
 * @param acts how many things each does
 */
export async function liveThroughDay(
  system: System,
  { seed, members, acts }: { seed: number; members: number; acts: number },
): Promise<{ people: Person[]; tally: Tally }> {
  const AT_ONCE = 6;
  const random = randomOf(seed);
  const people: Person[] = [];
  const tally: Tally = new Map();
  const waiting = Array.from({ length: members }, (_, index) => index);
  const liveOn = async (): Promise<void> => {
    for (let index = waiting.shift(); index !== undefined; index = waiting.shift()) {
      const person = await arrive(system, random);
      people.push(person);
      for (let act = 0; act < acts; act += 1) {
        if (random.below(4) === 0) await system.world('POST /control/faults', { body: random.pick(FAULTS) });
        const [name, reply] = await doSomething(system, random, person);
        const word = `${name} ${reply.status < 300 ? 'ok' : (reply.body?.message ?? reply.body?.error ?? reply.status)}`;
        tally.set(word, (tally.get(word) ?? 0) + 1);
        assert.ok(reply.status < 500 || reply.status === 502 || reply.status === 503, `${word} ${reply.status}`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, liveOn));
  return { people, tally };
}

async function arrive(system: System, random: Random): Promise<Person> {
  const bankCode = random.pick(['SCB', 'KBANK', 'BBL', 'BAY']);
  const member = await registerMember(system, { bankCode, bankAccountNo: newAccountNo() });
  const person: Person = { ...member, games: [] };
  for (const code of ['pg', 'askmebet', 'goalline']) {
    if (random.below(2) === 0) continue;
    const reply = await call(system, person, 'GET /api/wallet/activate/{slotCode}', { params: { slotCode: code } });
    if (reply.status === 200) person.games.push({ code, username: reply.body.username });
  }
  await depositByQr(system, random, person);
  return person;
}

type Options = { body?: unknown; params?: Record<string, string> };
const call = (system: System, { token }: Person, name: string, options: Options): Promise<ApiReply> =>
  system.api(name, { token, idempotencyKey: crypto.randomUUID(), ...options });

const amountOf = (random: Random, most: number): number => (100 + random.below(most * 100)) / 100;

async function depositByQr(system: System, random: Random, person: Person): Promise<ApiReply> {
  const amount = 50 + amountOf(random, 2_000);
  const made = await call(system, person, 'POST /api/qrcode/{bankCode}', {
    params: { bankCode: 'KBANK' },
    body: { amount: Number(amount.toFixed(2)) },
  });
  if (made.status !== 200 || !made.body.hasQrcode) return made;
  return system.world('POST /bank/pay-qr', { body: { payload: made.body.payload, from: holderOf(person) } });
}

const holderOf = ({ bankCode, bankAccountNo: accountNo, bankAccountName: accountName }: Person) => ({
  bankCode,
  accountNo,
  accountName,
});

type Acting = { system: System; random: Random; person: Person; game: string; username: string; amount: number };

/** What people do, each as often as the others. */
const ACTS: Readonly<Record<string, (acting: Acting) => Promise<ApiReply>>> = {
  'deposit by QR': ({ system, random, person }) => depositByQr(system, random, person),
  // Whoever sends it: the member from their account, or somebody whom nobody knows.
  'bank transfer': ({ system, random, person, amount }) => {
    const from = random.below(4) === 0 ? { ...holderOf(person), accountNo: newAccountNo() } : holderOf(person);
    return system.world('POST /bank/transfer', { body: { from, to: random.pick(OUR_ACCOUNTS), amount } });
  },
  'wallet app': ({ system, person, amount }) => {
    const body = { from: { phone: person.phone, name: 'ผู้ใช้' }, to: '0800000001', amount };
    return system.world('POST /wallet-app/transfer', { body });
  },
  'into a game': ({ system, person, game, amount }) =>
    call(system, person, 'POST /api/wallet/transfer', { body: { from: 'WALLET', to: game, amount } }),
  'out of a game': ({ system, person, game, amount }) =>
    call(system, person, 'POST /api/wallet/transfer', { body: { from: game, to: 'WALLET', amount } }),
  'everything into a game': ({ system, person, game }) =>
    call(system, person, 'POST /api/wallet/transferAll', { body: { to: game } }),
  play: ({ system, random, game, username, amount }) => {
    const params = { provider: providerOf(game), username };
    const body = { stake: amount.toFixed(2), win: amountOf(random, 500).toFixed(2) };
    return system.world('POST /games/{provider}/players/{username}/play', { params, body });
  },
  withdraw: ({ system, person, amount }) =>
    call(system, person, 'POST /api/wallet/withdraw', { body: { amount: hundredMore(amount) } }),
  'withdraw all': ({ system, person, amount }) =>
    call(system, person, 'POST /api/wallet/withdrawAll', { body: { amount: hundredMore(amount) } }),
  refresh: ({ system, person }) => call(system, person, 'GET /api/wallet/refresh/slot', {}),
};

const OUR_ACCOUNTS = [
  { bankCode: 'SCB', accountNo: '4680001234' },
  { bankCode: 'KBANK', accountNo: '1238004567' },
];
/** Decimal sums of doubles have more than two decimals now and then, which is another test. */
const hundredMore = (amount: number): number => Number((100 + amount).toFixed(2));

export const providerOf = (game: string): string => (game === 'pg' ? 'pg' : 'askmebet');

async function doSomething(system: System, random: Random, person: Person): Promise<[string, ApiReply]> {
  const game = person.games.length > 0 ? random.pick(person.games) : undefined;
  const [name, act] = random.pick(Object.entries(ACTS));
  const { code = 'pg', username = 'nobody' } = game ?? {};
  return [name, await act({ system, random, person, game: code, username, amount: amountOf(random, 400) })];
}
