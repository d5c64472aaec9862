import type { ApiReply } from '../harness/api-client.ts';
import { providerOf } from '../harness/games.ts';
import { newAccountNo } from '../harness/members.ts';
import { fetchImage, OUR_GSB, upload } from '../deposit/slip/slip-fixtures.ts';
import { encrypt } from '../deposit/truelink/gift-link.ts';
import { INCENTIVES } from './random-day-incentives.ts';
import type { Day, Person, Random } from './random-day.ts';
import { minorOf, notePaid } from './random-day-notes.ts';

export type Acting = Day & { person: Person; game: string; username: string };
type Act = (acting: Acting) => Promise<ApiReply>;

const OUR_PHONE = '0800000001';
const BAHT_ACCOUNTS = [
  { bankCode: 'SCB', accountNo: '4680001234' },
  { bankCode: 'KBANK', accountNo: '1238004567' },
];
const LAK_ACCOUNTS = [{ bankCode: 'BCEL', accountNo: '010120001234567' }];
/** Kip per baht, roughly, so that amounts are typical in both currencies. */
const KIP = 600;

const holderOf = ({ bankCode, bankAccountNo: accountNo, bankAccountName: accountName }: Person) => ({
  bankCode,
  accountNo,
  accountName,
});

/** A typical amount in satang, up to so many baht; whole kip for a person with kip. */
function amountOf({ random, person }: { random: Random; person: Person }, most: number, least = 1): number {
  if (person.currency === 'LAK') return (least + random.below(most)) * KIP;
  return (least * 100 + random.below(most * 100)) / 100;
}

type Code = { payload: string; qrcodeId: string; bankCode: string; amount: number };

/** @returns the code, or the refusal */
async function newCode(acting: Acting): Promise<{ code: Code } | { reply: ApiReply }> {
  const bankCode = acting.person.currency === 'LAK' ? 'BCEL' : acting.random.pick(['KBANK', 'WW', 'FP', 'PAYONEX']);
  const body = { amount: amountOf(acting, 2_000, 100) };
  const reply = await acting.call(acting.person, 'POST /api/qrcode/{bankCode}', { params: { bankCode }, body });
  if (reply.status !== 200 || !reply.body.hasQrcode) return { reply };
  const { payload, qrcodeId, amount } = reply.body;
  return { code: { payload, qrcodeId, bankCode, amount } };
}

const pay = ({ system, person }: Acting, { payload }: Code, how: { amount?: string; late?: boolean } = {}) =>
  system.world('POST /bank/pay-qr', { body: { payload, from: holderOf(person), ...how } });

/** Creates a code and acts on it. */
const withCode =
  (use: (acting: Acting, code: Code) => Promise<ApiReply>): Act =>
  async (acting) => {
    const made = await newCode(acting);
    return 'reply' in made ? made.reply : use(acting, made.code);
  };

async function referenceOf({ system }: Acting, { qrcodeId }: Code): Promise<string> {
  const { rows } = await system.database.query<{ reference: string }>('select reference from qrcode where id = $1', [
    qrcodeId,
  ]);
  return rows[0]?.reference ?? '';
}

/** Acts in either currency. */
const EVERYBODY: Readonly<Record<string, Act>> = {
  'deposit by QR': withCode((acting, code) => pay(acting, code)),
  'QR cancelled, paid late': withCode(async (acting, code) => {
    await acting.call(acting.person, 'DELETE /api/qrcode/{qrcodeId}', { params: { qrcodeId: code.qrcodeId } });
    return pay(acting, code, { late: true });
  }),
  'QR expired, paid late': withCode(async (acting, code) => {
    const body = { reference1: await referenceOf(acting, code) };
    await acting.system.world('POST /control/expire-qr', { body });
    return pay(acting, code, { late: true });
  }),
  'QR paid with another amount': withCode(async (acting, code) => {
    const amount = amountOf(acting, 500, 100).toFixed(2);
    const reply = await pay(acting, code, { amount });
    // The gateway's staff releases a payment on hold, or not.
    if (code.bankCode === 'PAYONEX' && acting.random.below(2) === 0) {
      const body = { referenceId: await referenceOf(acting, code) };
      await acting.system.world('POST /control/payonex/release', { body });
    }
    return reply;
  }),
  'QR left alone': withCode(async () => ({ status: 200, headers: new Headers(), body: {} })),
  'bank transfer': async (acting) => {
    const sent = await transfer(acting, holderOf(acting.person));
    notePaid(acting.person.notes, sent);
    return sent;
  },
  'bank transfer by another person': (acting) =>
    transfer(acting, { ...holderOf(acting.person), accountNo: newAccountNo() }),
  withdraw: (acting) => takeOut(acting, 'POST /api/wallet/withdraw'),
  'withdraw all': (acting) => takeOut(acting, 'POST /api/wallet/withdrawAll'),
  ...INCENTIVES,
};

async function takeOut(acting: Acting, path: string): Promise<ApiReply> {
  const reply = await acting.call(acting.person, path, { body: payoutOf(acting) });
  if (reply.status === 200 || reply.status === 202) acting.person.notes.payouts.push(reply.body.reference);
  return reply;
}

/** The operator's limits are equal numbers in both currencies. */
const payoutOf = (acting: Acting): { amount: number } => ({
  amount: acting.person.currency === 'LAK' ? amountOf(acting, 80) : amountOf(acting, 300, 100),
});

function transfer(acting: Acting, from: ReturnType<typeof holderOf>): Promise<ApiReply> {
  const to = acting.random.pick(acting.person.currency === 'LAK' ? LAK_ACCOUNTS : BAHT_ACCOUNTS);
  return acting.system.world('POST /bank/transfer', { body: { from, to, amount: amountOf(acting, 400) } });
}

const ACTS: Readonly<Record<'BAHT' | 'LAK', Readonly<Record<string, Act>>>> = {
  LAK: EVERYBODY,
  BAHT: {
    ...EVERYBODY,
    'wallet app': async (acting) => {
      const { system, person } = acting;
      const body = { from: { phone: person.phone, name: 'ผู้ใช้' }, to: OUR_PHONE, amount: amountOf(acting, 400) };
      const sent = await system.world('POST /wallet-app/transfer', { body });
      if (sent.status === 200) person.notes.paidIn += minorOf(body.amount);
      return sent;
    },
    'gift link': async (acting) => {
      const { system, person, random, untilAnswered } = acting;
      const gift = { amount: amountOf(acting, 300, 20).toFixed(2), members: 1 + random.below(2) };
      const { status, body } = await system.world('POST /wallet-app/gift', { body: gift });
      if (status !== 200) return { status, headers: new Headers(), body };
      const link = encrypt(body.link);
      person.notes.vouchers.push(body.voucherId);
      return untilAnswered(() => system.api('POST /api/wallet/truelink', { token: person.token, body: { link } }));
    },
    slip: async (acting) => {
      const { system, person, untilAnswered } = acting;
      const body = { from: holderOf(person), to: OUR_GSB, amount: amountOf(acting, 400) };
      const sent = await system.world('POST /bank/transfer', { body });
      if (sent.status !== 200) return sent;
      person.notes.slips.push(minorOf(body.amount));
      const bytes = await fetchImage(sent.body.slipUrl);
      return untilAnswered(() => upload(system, person.token, { bytes }));
    },
    'transfer that wants a slip, and none comes': ({ system, person, ...rest }) => {
      const body = { from: holderOf(person), to: OUR_GSB, amount: amountOf({ ...rest, person }, 400) };
      return system.world('POST /bank/transfer', { body });
    },
    'into a game': async (acting) => {
      const body = { from: 'WALLET', to: acting.game, amount: amountOf(acting, 300) };
      const reply = await acting.call(acting.person, 'POST /api/wallet/transfer', { body });
      if (reply.status === 200) acting.person.lastGame = acting.game;
      return reply;
    },
    'out of a game': (acting) => {
      const body = { from: acting.game, to: 'WALLET', amount: amountOf(acting, 100) };
      return acting.call(acting.person, 'POST /api/wallet/transfer', { body });
    },
    'everything into a game': ({ call, person, game }) =>
      call(person, 'POST /api/wallet/transferAll', { body: { to: game } }),
    play,
    refresh: ({ call, person }) => call(person, 'GET /api/wallet/refresh/slot'),
  },
};

/** Plays a round, lost or won, with money in the game of the last transfer. */
async function play({ system, person, random, game, username }: Acting): Promise<ApiReply> {
  const table = person.games.find(({ code }) => code === person.lastGame) ?? { code: game, username };
  const params = { provider: providerOf(table.code), username: table.username };
  const there = await system.world('GET /games/{provider}/players/{username}', { params });
  const stake = (Number(there.body?.balance ?? 0) * (10 + random.below(50))) / 100;
  if (stake < 1) return { status: 404, headers: new Headers(), body: { message: 'nothing to play with' } };
  const win = random.below(2) === 0 ? 0 : (stake * random.below(230)) / 100;
  const body = { stake: stake.toFixed(2), win: win.toFixed(2) };
  return system.world('POST /games/{provider}/players/{username}/play', { params, body });
}

/** Acts available to this person. */
export const actsOf = ({ currency }: Pick<Person, 'currency'>): Readonly<Record<string, Act>> => ACTS[currency];

/** Weights of acts that are prerequisites of others. */
const OFTEN: Readonly<Record<string, number>> = {
  play: 4,
  'into a game': 3,
  bonus: 2,
  promotion: 2,
  spin: 2,
  coupon: 3,
};

/** Names of the available acts, repeated by weight. */
export const wishesOf = (person: Pick<Person, 'currency'>): string[] =>
  Object.keys(actsOf(person)).flatMap((name) => Array.from({ length: OFTEN[name] ?? 1 }, () => name));
