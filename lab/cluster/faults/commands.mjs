/** Providers with accounts of the members. */
export const GAMES = ['pg', 'joker2'];

const GATEWAY_CODES = ['KBANK', 'WW', 'FP', 'PAYONEX'];
const TRANSFER_MAX = 50;
const DEPOSIT_AMOUNT = 100;
const WITHDRAWAL_AMOUNT = 100;

const transfer = (name, from, to) => (random) => ({
  name,
  path: '/api/wallet/transfer',
  body: { from: from(random), to: to(random), amount: 1 + random.below(TRANSFER_MAX) },
});
const walletSlot = () => 'WALLET';
const randomGame = (random) => random.pick(GAMES);

const transferIn = transfer('transfer-in', walletSlot, randomGame);
const transferOut = transfer('transfer-out', randomGame, walletSlot);
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
const withdrawalCommand = () => ({
  name: 'withdrawal',
  path: '/api/wallet/withdraw',
  body: { amount: WITHDRAWAL_AMOUNT },
});
const spinCommand = () => ({ name: 'spin', path: '/api/spinwheel/spin', body: {} });
const qrCodeDeposit = (random) => ({
  name: 'deposit-qrcode',
  path: `/api/qrcode/${random.pick(GATEWAY_CODES)}`,
  body: { amount: DEPOSIT_AMOUNT },
  payment: 'qrcode',
});
const bankDeposit = () => ({
  name: 'deposit-bank',
  path: '/api/wallet/add',
  body: { amount: DEPOSIT_AMOUNT },
  payment: 'transfer',
});
const transferAll = (random) => ({
  name: 'transfer-all',
  path: '/api/wallet/transferAll',
  body: { to: randomGame(random) },
});
const withdrawAll = () => ({
  name: 'withdraw-all',
  path: '/api/wallet/withdrawAll',
  body: { amount: WITHDRAWAL_AMOUNT },
});

const repeatCommand = (count, command) => Array.from({ length: count }, () => command);
/** Commands by weight. Inflow equals outflow, so a run of any length has money to move. */
const COMMON_COMMANDS = [
  ...repeatCommand(7, transferIn),
  ...repeatCommand(7, transferOut),
  transferBetween,
  transferBack,
  ...repeatCommand(2, withdrawalCommand),
  ...repeatCommand(2, spinCommand),
  qrCodeDeposit,
  bankDeposit,
];
const SWEEPER_COMMANDS = [...COMMON_COMMANDS, transferAll, withdrawAll];
/** One in this many members also uses transferAll and withdrawAll. */
const SWEEPER_EVERY = 10;

/** Whether a member uses transferAll and withdrawAll, whose replies omit the amount per game. */
export const isSweeper = (number) => number % SWEEPER_EVERY === 0;

/** Picks the next money command of a member; `payment`: how the member pays afterwards. */
export function nextCommand(random, { isSweeper: sweeps }) {
  return random.pick(sweeps ? SWEEPER_COMMANDS : COMMON_COMMANDS)(random);
}
