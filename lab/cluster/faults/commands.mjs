/** Providers of the tour: they have accounts of members. */
export const GAMES = ['pg', 'joker2'];

const GATEWAYS = ['KBANK', 'WW', 'FP', 'PAYONEX'];
const TRANSFER_MOST = 50;
const DEPOSIT = 100;
const WITHDRAWAL = 100;

const transfer = (name, from, to) => (random) => ({
  name,
  path: '/api/wallet/transfer',
  body: { from: from(random), to: to(random), amount: 1 + random.below(TRANSFER_MOST) },
});
const wallet = () => 'WALLET';
const game = (random) => random.pick(GAMES);

const transferIn = transfer('transfer-in', wallet, game);
const transferOut = transfer('transfer-out', game, wallet);
const between = transfer(
  'transfer-between',
  () => GAMES[0],
  () => GAMES[1],
);
const back = transfer(
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
const notice = () => ({
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

const times = (count, command) => Array.from({ length: count }, () => command);
/** By weight. What goes out of the house comes in again, so that a tour of any length finds money to move. */
const USUAL = [
  ...times(7, transferIn),
  ...times(7, transferOut),
  between,
  back,
  ...times(2, withdrawal),
  ...times(2, spin),
  qrCode,
  notice,
];
const SWEEPING = [...USUAL, transferAll, withdrawAll];
/** Of so many members one moves all of its money at once too. */
const SWEEPER_EVERY = 10;

/** Whether a member moves all of its money at once: how much `withdrawAll` takes from which game is in no answer. */
export const isSweeper = (number) => number % SWEEPER_EVERY === 0;

/** The next money command of a member; `payment`: how the member pays after it. */
export function nextCommand(random, { isSweeper: sweeps }) {
  return random.pick(sweeps ? SWEEPING : USUAL)(random);
}
