import { fetchImage, OWN_GSB_ACCOUNT, uploadSlips } from '../deposit/slip/slip-fixtures.ts';
import { encryptGiftLink } from '../deposit/truelink/gift-link.ts';
import type { ApiReply } from '../harness/api-client.ts';
import { providerOf } from '../harness/games.ts';
import { newAccountNo } from '../harness/members.ts';
import { INCENTIVE_ACTS } from './random-day-incentives.ts';
import { parseMinor, recordPayment } from './random-day-records.ts';
import type { RandomDay, RandomMember, SeededRandom } from './random-day.ts';

export type ActContext = RandomDay & { member: RandomMember; game: string; username: string };
type DayAct = (context: ActContext) => Promise<ApiReply>;

const OWN_WALLET_PHONE = '0800000001';
const BAHT_ACCOUNTS = [
  { bankCode: 'SCB', accountNo: '4680001234' },
  { bankCode: 'KBANK', accountNo: '1238004567' },
];
const LAK_ACCOUNTS = [{ bankCode: 'BCEL', accountNo: '010120001234567' }];
/** Kip per baht, roughly, so that amounts are typical in both currencies. */
const KIP_PER_BAHT = 600;

const bankAccountOf = ({ bankCode, bankAccountNo: accountNo, bankAccountName: accountName }: RandomMember) => ({
  bankCode,
  accountNo,
  accountName,
});

/** A typical amount in satang, up to this many baht; whole kip for a member with kip. */
function amountOf(
  { random, member: user }: { random: SeededRandom; member: RandomMember },
  maximum: number,
  minimum = 1,
): number {
  if (user.currency === 'LAK') return (minimum + random.randomBelow(maximum)) * KIP_PER_BAHT;
  return (minimum * 100 + random.randomBelow(maximum * 100)) / 100;
}

type LiveQr = { payload: string; qrcodeId: string; bankCode: string; amount: number };

/** @returns the code, or the refusal */
async function createCode(context: ActContext): Promise<{ code: LiveQr } | { reply: ApiReply }> {
  const bankCode =
    context.member.currency === 'LAK' ? 'BCEL' : context.random.pickItem(['KBANK', 'WW', 'FP', 'PAYONEX']);
  const body = { amount: amountOf(context, 2_000, 100) };
  const reply = await context.call(context.member, 'POST /api/qrcode/{bankCode}', { params: { bankCode }, body });
  if (reply.status !== 200 || !reply.body.hasQrcode) return { reply };
  const { payload, qrcodeId, amount } = reply.body;
  return { code: { payload, qrcodeId, bankCode, amount } };
}

const payCode = (
  { system, member: user }: ActContext,
  { payload }: LiveQr,
  payOptions: { amount?: string; late?: boolean } = {},
) => system.simulatorsApi('POST /bank/pay-qr', { body: { payload, from: bankAccountOf(user), ...payOptions } });

/** Creates a code and runs an act with it. */
const withCode =
  (useCode: (context: ActContext, code: LiveQr) => Promise<ApiReply>): DayAct =>
  async (context) => {
    const newQr = await createCode(context);
    return 'reply' in newQr ? newQr.reply : useCode(context, newQr.code);
  };

async function readQrReference({ system }: ActContext, { qrcodeId }: LiveQr): Promise<string> {
  const { rows } = await system.database.query<{ reference: string }>('select reference from qrcode where id = $1', [
    qrcodeId,
  ]);
  return rows[0]?.reference ?? '';
}

/** Acts in either currency. */
const ACTS_OF_EVERYONE: Readonly<Record<string, DayAct>> = {
  'deposit by QR': withCode((context, code) => payCode(context, code)),
  'QR cancelled, paid late': withCode(async (context, code) => {
    await context.call(context.member, 'DELETE /api/qrcode/{qrcodeId}', { params: { qrcodeId: code.qrcodeId } });
    return payCode(context, code, { late: true });
  }),
  'QR expired, paid late': withCode(async (context, code) => {
    const body = { reference1: await readQrReference(context, code) };
    await context.system.simulatorsApi('POST /control/expire-qr', { body });
    return payCode(context, code, { late: true });
  }),
  'QR paid with another amount': withCode(async (context, code) => {
    const amount = amountOf(context, 500, 100).toFixed(2);
    const reply = await payCode(context, code, { amount });
    // The gateway's staff releases a payment on hold, or not.
    if (code.bankCode === 'PAYONEX' && context.random.randomBelow(2) === 0) {
      const body = { referenceId: await readQrReference(context, code) };
      await context.system.simulatorsApi('POST /control/payonex/release', { body });
    }
    return reply;
  }),
  'QR left alone': withCode(async () => ({ status: 200, headers: new Headers(), body: {} })),
  'bank transfer': async (context) => {
    const transferReply = await transferFromBank(context, bankAccountOf(context.member));
    recordPayment(context.member.records, transferReply);
    return transferReply;
  },
  'bank transfer by another person': (context) =>
    transferFromBank(context, { ...bankAccountOf(context.member), accountNo: newAccountNo() }),
  withdraw: (context) => requestPayoutByPath(context, 'POST /api/wallet/withdraw'),
  'withdraw all': (context) => requestPayoutByPath(context, 'POST /api/wallet/withdrawAll'),
  ...INCENTIVE_ACTS,
};

async function requestPayoutByPath(context: ActContext, path: string): Promise<ApiReply> {
  const reply = await context.call(context.member, path, { body: payoutRequestOf(context) });
  if (reply.status === 200 || reply.status === 202) context.member.records.payoutReferences.push(reply.body.reference);
  return reply;
}

/** The operator's limits are equal numbers in both currencies. */
const payoutRequestOf = (context: ActContext): { amount: number } => ({
  amount: context.member.currency === 'LAK' ? amountOf(context, 80) : amountOf(context, 300, 100),
});

function transferFromBank(context: ActContext, from: ReturnType<typeof bankAccountOf>): Promise<ApiReply> {
  const to = context.random.pickItem(context.member.currency === 'LAK' ? LAK_ACCOUNTS : BAHT_ACCOUNTS);
  return context.system.simulatorsApi('POST /bank/transfer', { body: { from, to, amount: amountOf(context, 400) } });
}

const ACTS_BY_CURRENCY: Readonly<Record<'BAHT' | 'LAK', Readonly<Record<string, DayAct>>>> = {
  LAK: ACTS_OF_EVERYONE,
  BAHT: {
    ...ACTS_OF_EVERYONE,
    'wallet app': async (context) => {
      const { system, member: user } = context;
      const body = { from: { phone: user.phone, name: 'ผู้ใช้' }, to: OWN_WALLET_PHONE, amount: amountOf(context, 400) };
      const transferReply = await system.simulatorsApi('POST /wallet-app/transfer', { body });
      if (transferReply.status === 200) user.records.paidInTotal += parseMinor(body.amount);
      return transferReply;
    },
    'gift link': async (context) => {
      const { system, member: user, random, untilAnswered } = context;
      const giftBody = { amount: amountOf(context, 300, 20).toFixed(2), members: 1 + random.randomBelow(2) };
      const { status, body } = await system.simulatorsApi('POST /wallet-app/gift', { body: giftBody });
      if (status !== 200) return { status, headers: new Headers(), body };
      const link = encryptGiftLink(body.link);
      user.records.giftLinks.push(body.voucherId);
      return untilAnswered(() => system.api('POST /api/wallet/truelink', { token: user.token, body: { link } }));
    },
    slip: async (context) => {
      const { system, member: user, untilAnswered } = context;
      const body = { from: bankAccountOf(user), to: OWN_GSB_ACCOUNT, amount: amountOf(context, 400) };
      const transferReply = await system.simulatorsApi('POST /bank/transfer', { body });
      if (transferReply.status !== 200) return transferReply;
      user.records.slipAmounts.push(parseMinor(body.amount));
      const bytes = await fetchImage(transferReply.body.slipUrl);
      return untilAnswered(() => uploadSlips(system, user.token, { bytes }));
    },
    'transfer that wants a slip, and none comes': ({ system, member: user, ...rest }) => {
      const body = { from: bankAccountOf(user), to: OWN_GSB_ACCOUNT, amount: amountOf({ ...rest, member: user }, 400) };
      return system.simulatorsApi('POST /bank/transfer', { body });
    },
    'into a game': async (context) => {
      const body = { from: 'WALLET', to: context.game, amount: amountOf(context, 300) };
      const reply = await context.call(context.member, 'POST /api/wallet/transfer', { body });
      if (reply.status === 200) context.member.lastGame = context.game;
      return reply;
    },
    'out of a game': (context) => {
      const body = { from: context.game, to: 'WALLET', amount: amountOf(context, 100) };
      return context.call(context.member, 'POST /api/wallet/transfer', { body });
    },
    'everything into a game': ({ call, member: user, game }) =>
      call(user, 'POST /api/wallet/transferAll', { body: { to: game } }),
    play: playInGame,
    refresh: ({ call, member: user }) => call(user, 'GET /api/wallet/refresh/slot'),
  },
};

/** Plays a round, lost or won, with money in the game of the last transfer. */
async function playInGame({ system, member: user, random, game, username }: ActContext): Promise<ApiReply> {
  const table = user.games.find(({ code }) => code === user.lastGame) ?? { code: game, username };
  const params = { provider: providerOf(table.code), username: table.username };
  const playerReply = await system.simulatorsApi('GET /games/{provider}/players/{username}', { params });
  const stake = (Number(playerReply.body?.balance ?? 0) * (10 + random.randomBelow(50))) / 100;
  if (stake < 1) return { status: 404, headers: new Headers(), body: { message: 'nothing to play with' } };
  const win = random.randomBelow(2) === 0 ? 0 : (stake * random.randomBelow(230)) / 100;
  const body = { stake: stake.toFixed(2), win: win.toFixed(2) };
  return system.simulatorsApi('POST /games/{provider}/players/{username}/play', { params, body });
}

/** Acts available to this member. */
export const actsOfCurrency = ({ currency }: Pick<RandomMember, 'currency'>): Readonly<Record<string, DayAct>> =>
  ACTS_BY_CURRENCY[currency];

/** Weights of acts that are prerequisites of others. */
const ACT_WEIGHTS: Readonly<Record<string, number>> = {
  play: 4,
  'into a game': 3,
  bonus: 2,
  promotion: 2,
  spin: 2,
  coupon: 3,
};

/** Names of the available acts, repeated by weight. */
export const actNamesOf = (member: Pick<RandomMember, 'currency'>): string[] =>
  Object.keys(actsOfCurrency(member)).flatMap((name) => Array.from({ length: ACT_WEIGHTS[name] ?? 1 }, () => name));
