import type { Answer } from '../../control/serve.ts';
import { moneyNumber } from '../../money.ts';
import { sameText } from '../../outside/secrets.ts';
import { languageOf, type Protocol, returnUrlOf } from '../game-server.ts';
import { moveOnce } from '../move-once.ts';
import type { GameTransfer } from '../players.ts';
import { amountOf, type Asked, isName, isReference, postCalls } from '../post-calls.ts';
import { stretched } from '../signing.ts';

const MESSAGES = {
  4001: 'INVALID_SIGNATURE',
  4002: 'INVALID_VALUE',
  4003: 'PLAYER_NOT_FOUND',
  4004: 'PLAYER_EXISTS',
  4005: 'INSUFFICIENT_CREDIT',
  4006: 'GAME_NOT_FOUND',
  4009: 'DUPLICATE_TRANSACTION_REF',
  4020: 'OUTSTANDING_BETS',
  4040: 'TRANSACTION_NOT_FOUND',
  4050: 'QUEUED',
  4099: 'REFUSED',
  5030: 'MAINTENANCE',
} as const;
const TYPES = { in: 'DEPOSIT', out: 'WITHDRAW', 'all-out': 'WITHDRAW' } as const;

function done(data: object): Answer {
  return { status: 200, body: { code: 0, message: 'SUCCESS', data } };
}

function refused(code: keyof typeof MESSAGES): Answer {
  return { status: 200, body: { code, message: MESSAGES[code], data: null } };
}

/** Signed over the exact body; idempotent references; no withdrawal while bets are open. */
export const huayhd: Protocol = {
  credentials: ['agent', 'secret'],
  calls: {
    moving: ['create', 'password', 'deposit', 'withdraw'],
    others: ['balance', 'transaction', 'launch'],
    referenced: ['deposit', 'withdraw'],
    checks: ['transaction'],
  },
  says: {
    declined: () => refused(4099),
    maintenance: () => refused(5030),
    unlisted: () => refused(4050),
    unknownPlayer: () => refused(4003),
    duplicate: () => refused(4009),
    absent: () => refused(4040),
  },
  routes: (app, gameServer) => {
    postCalls(app, gameServer, {
      calls: [
        { call: 'create', path: '/seamless/create', act: create },
        { call: 'password', path: '/seamless/password', act: setPassword },
        { call: 'balance', path: '/seamless/balance', act: balance },
        { call: 'deposit', path: '/seamless/deposit', act: transfer('in') },
        { call: 'withdraw', path: '/seamless/withdraw', act: transfer('out') },
        { call: 'transaction', path: '/seamless/transaction', act: transaction },
        { call: 'launch', path: '/seamless/launch', act: launch },
      ],
      guard,
      malformed: () => refused(4002),
      about: ['transactionRef', 'username'],
    });
  },
};

function guard({ fields, request: { headers }, text, gameServer }: Asked): Answer | undefined {
  const isSigned =
    sameText(fields['agent'] ?? '', gameServer.credential('agent')) &&
    sameText(String(headers['x-signature']), stretched(text, gameServer.credential('secret')));
  return isSigned ? undefined : refused(4001);
}

function create({ fields: { username = '', password = '' }, gameServer: { players } }: Asked): Answer {
  if (!isName(username) || !isName(password)) return refused(4002);
  return players.create(username, password) ? done({ username: username.toLowerCase() }) : refused(4004);
}

function setPassword({ fields: { username = '', password = '' }, gameServer: { players } }: Asked): Answer {
  if (!isName(password)) return refused(4002);
  return players.setPassword(username, password) ? done({ username: username.toLowerCase() }) : refused(4003);
}

function balance({ fields: { username = '' }, gameServer: { players } }: Asked): Answer {
  const player = players.find(username);
  if (!player) return refused(4003);
  return done({
    username: player.username,
    balance: moneyNumber(player.balance),
    outstanding: moneyNumber(player.outstanding),
    turnover: moneyNumber(player.turnover),
  });
}

function transfer(direction: 'in' | 'out') {
  return ({
    fields: { username = '', transactionRef: reference = '', ...fields },
    gameServer: { players },
  }: Asked): Answer => {
    const amount = amountOf(fields['amount']);
    if (amount === undefined || !isReference(reference)) return refused(4002);
    const made = moveOnce(players, { username, direction, amount, reference, unlessOpenBets: true });
    if (typeof made === 'object') return done(shown(made));
    return refused(WHY_NOT[made]);
  };
}

const WHY_NOT = { 'other-values': 4009, 'unknown-player': 4003, 'open-bets': 4020, 'not-enough': 4005 } as const;

function shown(made: GameTransfer): object {
  return {
    transactionRef: made.reference,
    txId: made.id,
    amount: moneyNumber(made.amount),
    balance: { before: moneyNumber(made.before), after: moneyNumber(made.after) },
  };
}

function transaction({ fields: { username = '', transactionRef = '' }, gameServer: { players } }: Asked): Answer {
  const made = players.transferByReference(transactionRef);
  if (!made || made.username !== username.toLowerCase()) return refused(4040);
  return done({ ...shown(made), username: made.username, type: TYPES[made.direction] });
}

function launch({ fields, gameServer, request }: Asked): Answer {
  const player = gameServer.players.find(fields['username'] ?? '');
  if (!player) return refused(4003);
  const game = gameServer.gameNamed(fields['game']);
  if (!game) return refused(4006);
  if (gameServer.state.launchRefused) return refused(4099);
  const { username } = player;
  const language = languageOf(fields['language']);
  const { path } = gameServer.begin({ username, game, language, returnUrl: returnUrlOf(fields['returnUrl']) });
  return done({ url: gameServer.address(request, path) });
}
