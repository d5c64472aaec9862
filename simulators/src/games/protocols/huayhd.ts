import type { Answer } from '../../control/serve.ts';
import { moneyNumber } from '../../money.ts';
import { sameText } from '../../outside/secrets.ts';
import { languageOf, type Protocol, returnUrlOf } from '../game-server.ts';
import { moveOnce } from '../move-once.ts';
import type { GameTransfer } from '../players.ts';
import { amountOf, type ProviderRequest, isName, isReference, postCalls } from '../post-calls.ts';
import { pbkdf2Signature } from '../signing.ts';

const REFUSAL_MESSAGES = {
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
const TYPE_OF_DIRECTION = { in: 'DEPOSIT', out: 'WITHDRAW', 'all-out': 'WITHDRAW' } as const;

function doneReply(data: object): Answer {
  return { status: 200, body: { code: 0, message: 'SUCCESS', data } };
}

function refusedReply(code: keyof typeof REFUSAL_MESSAGES): Answer {
  return { status: 200, body: { code, message: REFUSAL_MESSAGES[code], data: null } };
}

/** Signatures over the exact body; idempotent references; no withdrawal while bets are open. */
export const huayhd: Protocol = {
  credentials: ['agent', 'secret'],
  calls: {
    moving: ['create', 'password', 'deposit', 'withdraw'],
    others: ['balance', 'transaction', 'launch'],
    referenced: ['deposit', 'withdraw'],
    checks: ['transaction'],
  },
  denialReplies: {
    declined: () => refusedReply(4099),
    maintenance: () => refusedReply(5030),
    unlisted: () => refusedReply(4050),
    unknownPlayer: () => refusedReply(4003),
    duplicate: () => refusedReply(4009),
    absent: () => refusedReply(4040),
  },
  routes: (app, gameServer) => {
    postCalls(app, gameServer, {
      calls: [
        { call: 'create', path: '/seamless/create', handle: create },
        { call: 'password', path: '/seamless/password', handle: setPassword },
        { call: 'balance', path: '/seamless/balance', handle: balance },
        { call: 'deposit', path: '/seamless/deposit', handle: transfer('in') },
        { call: 'withdraw', path: '/seamless/withdraw', handle: transfer('out') },
        { call: 'transaction', path: '/seamless/transaction', handle: transaction },
        { call: 'launch', path: '/seamless/launch', handle: launch },
      ],
      guard: checkSignature,
      malformed: () => refusedReply(4002),
      about: ['transactionRef', 'username'],
    });
  },
};

function checkSignature({ fields, request: { headers }, text, gameServer }: ProviderRequest): Answer | undefined {
  const isSigned =
    sameText(fields['agent'] ?? '', gameServer.credential('agent')) &&
    sameText(String(headers['x-signature']), pbkdf2Signature(text, gameServer.credential('secret')));
  return isSigned ? undefined : refusedReply(4001);
}

function create({ fields: { username = '', password = '' }, gameServer: { players } }: ProviderRequest): Answer {
  if (!isName(username) || !isName(password)) return refusedReply(4002);
  return players.create(username, password) ? doneReply({ username: username.toLowerCase() }) : refusedReply(4004);
}

function setPassword({ fields: { username = '', password = '' }, gameServer: { players } }: ProviderRequest): Answer {
  if (!isName(password)) return refusedReply(4002);
  return players.setPassword(username, password) ? doneReply({ username: username.toLowerCase() }) : refusedReply(4003);
}

function balance({ fields: { username = '' }, gameServer: { players } }: ProviderRequest): Answer {
  const player = players.find(username);
  if (!player) return refusedReply(4003);
  return doneReply({
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
  }: ProviderRequest): Answer => {
    const amount = amountOf(fields['amount']);
    if (amount === undefined || !isReference(reference)) return refusedReply(4002);
    const transferResult = moveOnce(players, { username, direction, amount, reference, unlessOpenBets: true });
    if (typeof transferResult === 'object') return doneReply(transferView(transferResult));
    return refusedReply(WHY_NOT[transferResult]);
  };
}

const WHY_NOT = { 'other-values': 4009, 'unknown-player': 4003, 'open-bets': 4020, 'not-enough': 4005 } as const;

function transferView(transfer: GameTransfer): object {
  return {
    transactionRef: transfer.reference,
    txId: transfer.id,
    amount: moneyNumber(transfer.amount),
    balance: { before: moneyNumber(transfer.before), after: moneyNumber(transfer.after) },
  };
}

function transaction({
  fields: { username = '', transactionRef = '' },
  gameServer: { players },
}: ProviderRequest): Answer {
  const transfer = players.transferByReference(transactionRef);
  if (!transfer || transfer.username !== username.toLowerCase()) return refusedReply(4040);
  return doneReply({
    ...transferView(transfer),
    username: transfer.username,
    type: TYPE_OF_DIRECTION[transfer.direction],
  });
}

function launch({ fields, gameServer, request }: ProviderRequest): Answer {
  const player = gameServer.players.find(fields['username'] ?? '');
  if (!player) return refusedReply(4003);
  const game = gameServer.gameNamed(fields['game']);
  if (!game) return refusedReply(4006);
  if (gameServer.state.launchRefused) return refusedReply(4099);
  const { username } = player;
  const language = languageOf(fields['language']);
  const { path } = gameServer.begin({ username, game, language, returnUrl: returnUrlOf(fields['returnUrl']) });
  return doneReply({ url: gameServer.address(request, path) });
}
