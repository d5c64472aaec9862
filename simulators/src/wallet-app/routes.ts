import type { FastifyInstance, FastifyRequest } from 'fastify';
import QRCode from 'qrcode';
import { z } from 'zod';
import { maskName } from '../bank/mask.ts';
import type { Server } from '../control/serve.ts';
import { readInput } from '../input.ts';
import { publicBase } from '../links.ts';
import { formatMoney, parseMoney } from '../money.ts';
import type { Outside } from '../outside/outside-file.ts';
import { Refusal } from '../refusal.ts';
import type { Store } from '../store.ts';
import { thaiTime } from '../time.ts';
import { type Gifts, shareOf } from './gifts.ts';
import { drawWalletSlip, walletSlipPayload } from './slip.ts';
import type { Transaction, Wallet, Wallets } from './wallets.ts';

const RECENT_TRANSACTIONS = 30;
const GIFT_LIFE_S = 259_200;
const GIFT_MINIMUM = 200;
const DEFAULT_PAYER = { phone: '0899999999', name: 'ใจดี มีสุข' };

type WalletDeps = { store: Store; server: Server; outside: Outside; wallets: Wallets; gifts: Gifts };

const phone = z
  .string()
  .transform((text) => text.replace(/[\s-]/g, '').replace(/^\+?66/, '0'))
  .pipe(z.string().regex(/^0\d{9}$/, 'must be a phone number'));
const ownerInput = z.object({ phone, name: z.string().trim().min(1).max(100).optional() });
const personInput = z.union([phone.transform((number) => ({ phone: number, name: undefined })), ownerInput]);
const moneyInput = z.unknown().transform((value, context) => {
  const amountSatang = parseMoney(value);
  if (amountSatang !== undefined && amountSatang > 0) return amountSatang;
  context.addIssue('must be an amount above 0 with at most two decimals');
  return z.NEVER;
});
const transferInput = z.object({
  to: phone,
  from: personInput,
  amount: moneyInput,
  message: z.string().max(100).default(''),
});
const giftInput = z.object({
  amount: moneyInput,
  members: z.int().min(1).max(100).default(1),
  from: personInput.default(DEFAULT_PAYER),
  expiresInSeconds: z.int().min(0).max(GIFT_LIFE_S).default(GIFT_LIFE_S),
});

/** The wallet app's API for the phone page: sends money, creates gift links, lists the history. */
export function walletRoutes(app: FastifyInstance, deps: WalletDeps): void {
  const declinedReply = () => ({ status: 402, body: { error: 'declined', message: 'The app refused this' } });
  app.post('/wallet-app/transfer', (request, reply) =>
    deps.server.serve(reply, {
      target: 'wallet-app',
      call: 'transfer',
      key: null,
      handle: () => ({ status: 200, body: transfer(request, deps) }),
      decline: declinedReply,
    }),
  );
  app.post('/wallet-app/gift', (request, reply) =>
    deps.server.serve(reply, {
      target: 'wallet-app',
      call: 'gift',
      key: null,
      handle: () => ({ status: 200, body: makeGift(request, deps) }),
      decline: declinedReply,
    }),
  );
  app.post('/wallet-app/wallets', (request) => {
    const { phone: number, name } = readInput(ownerInput, request.body);
    return walletView(deps.wallets.open(number, name));
  });
  // Lists only wallets that anyone may pay; a phone doesn't list private ones.
  app.get('/wallet-app/wallets', () => {
    const wallet = deps.wallets.find(deps.outside.walletApp.phone);
    return wallet ? [{ phone: wallet.phone, name: wallet.name }] : [];
  });
  app.get<{ Params: { phone: string } }>('/wallet-app/wallets/:phone', ({ params }) => {
    const wallet = deps.wallets.find(params.phone);
    if (!wallet) throw new Refusal(404, 'unknown_wallet', 'There is no such wallet');
    const transactions = deps.wallets.recent(wallet.phone, RECENT_TRANSACTIONS);
    return {
      ...walletView(wallet),
      transactions: transactions.map((transaction) => transactionView(transaction, wallet, deps)),
    };
  });
  app.get<{ Params: { name: string } }>('/wallet-app/slips/:name', async (request, reply) => {
    const [number = '', extension] = request.params.name.split('.');
    const transaction = deps.wallets.findTransaction(number);
    if (transaction?.type !== 'P2P') throw new Refusal(404, 'unknown_transaction', 'There is no such transfer');
    if (extension === 'svg') {
      const options = { type: 'svg', errorCorrectionLevel: 'M', margin: 1 } as const;
      return reply.type('image/svg+xml').send(await QRCode.toString(walletSlipPayload(transaction), options));
    }
    return reply.type('image/png').header('cache-control', 'private, max-age=86400').send(drawWalletSlip(transaction));
  });
}

function transfer(request: FastifyRequest, { store, wallets, outside }: WalletDeps): object {
  const { from, to, amount, message } = readInput(transferInput, request.body);
  const receiver = wallets.find(to);
  if (!receiver) throw new Refusal(404, 'unknown_wallet', 'The receiver has no wallet');
  const transaction = store.atomically(() =>
    wallets.transfer(wallets.open(from.phone, from.name), receiver, amount, message),
  );
  return {
    transactionId: transaction.number,
    amount: formatMoney(amount),
    at: thaiTime(transaction.at),
    to: { phone: receiver.phone, name: maskName(receiver.name) },
    slipUrl: `${publicBase(request, outside)}/wallet-app/slips/${transaction.number}.png`,
    slipPayload: walletSlipPayload(transaction),
  };
}

function makeGift(request: FastifyRequest, { wallets, gifts }: WalletDeps): object {
  const { from, amount, members, expiresInSeconds } = readInput(giftInput, request.body);
  if (amount < GIFT_MINIMUM) throw new Refusal(400, 'below_minimum', 'A gift holds at least 2.00');
  const gift = gifts.make(wallets.open(from.phone, from.name), { amount, members, lifeMs: expiresInSeconds * 1000 });
  return {
    link: `https://gift.truemoney.com/campaign/?v=${gift.hash}`,
    hash: gift.hash,
    voucherId: gift.voucher_id,
    amount: formatMoney(amount),
    members,
    share: formatMoney(shareOf(gift, 0)),
    expiresAt: thaiTime(gift.expires_at),
  };
}

function walletView({ phone: number, name, owner: ownedBy, balance }: Wallet): object {
  return { phone: number, name, owner: ownedBy, balance: formatMoney(balance) };
}

function transactionView(transaction: Transaction, wallet: Wallet, { wallets }: WalletDeps): object {
  const isOutgoing = transaction.from_phone === wallet.phone;
  const counterparty = wallets.find(isOutgoing ? transaction.to_phone : transaction.from_phone);
  return {
    transactionId: transaction.number,
    type: transaction.type,
    direction: isOutgoing ? 'out' : 'in',
    amount: formatMoney(transaction.amount),
    at: thaiTime(transaction.at),
    other: counterparty ? { phone: counterparty.phone, name: maskName(counterparty.name) } : null,
  };
}
