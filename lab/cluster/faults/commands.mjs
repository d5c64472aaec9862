/** Providers with accounts of the members. */
export const GAMES = ['pg', 'joker2'];

const GATEWAYS = ['KBANK', 'WW', 'FP', 'PAYONEX'];
const TRANSFER_MAX = 50;
const DEPOSIT = 100;
const WITHDRAWAL = 100;

const transfer = (name, from, to) => (random) => ({
  name,
  path: '/api/wallet/transfer',
  body: { from: from(random), to: to(random), amount: 1 + random.below(TRANSFER_MAX) },
});
const wallet = () => 'WALLET';
const game = (random) => random.pick(GAMES);

const transferIn = transfer('transfer-in', wallet, game);
const transferOut = transfer('transfer-out', game, wallet);
const transferBetween = transfer(
  'transfer-between',
  () => GAMES[0],
  () => GAMES[1],
);
const transferBack = transfer(
  'transfer-between',
  () => GAMES[1],
  () => GAMES[0],
);
const withdrawal = () => ({ name: 'withdrawal', path: '/api/wallet/withdraw', body: { amount: WITHDRAWAL } });
const spin = () => ({ name: 'spin', path: '/api/spinwheel/spin', body: {} });
const qrCode = (random) => ({
  name: 'deposit-qrcode',
  path: `/api/qrcode/${random.pick(GATEWAYS)}`,
  body: { amount: DEPOSIT },
  payment: 'qrcode',
});
const announcement = () => ({
  name: 'deposit-bank',
  path: '/api/wallet/add',
  body: { amount: DEPOSIT },
  payment: 'transfer',
});
const transferAll = (random) => ({
  name: 'transfer-all',
  path: '/api/wallet/transferAll',
  body: { to: game(random) },
});
const withdrawAll = () => ({ name: 'withdraw-all', path: '/api/wallet/withdrawAll', body: { amount: WITHDRAWAL } });

const repeated = (count, command) => Array.from({ length: count }, () => command);
/** Commands by weight. Inflow equals outflow, so a run of any length has money to move. */
const USUAL = [
  ...repeated(7, transferIn),
  ...repeated(7, transferOut),
  transferBetween,
  transferBack,
  ...repeated(2, withdrawal),
  ...repeated(2, spin),
  qrCode,
  announcement,
];
const SWEEPING = [...USUAL, transferAll, withdrawAll];
/** One in this many members also uses transferAll and withdrawAll. */
const SWEEPER_EVERY = 10;

/** Whether a member uses transferAll and withdrawAll, whose replies omit the amount per game. */
export const isSweeper = (number) => number % SWEEPER_EVERY === 0;

/** Picks the next money command of a member; `payment`: how the member pays afterwards. */
export function nextCommand(random, { isSweeper: sweeps }) {
  return random.pick(sweeps ? SWEEPING : USUAL)(random);
}
