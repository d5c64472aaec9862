import { createPublicKey, verify } from 'node:crypto';
import type { Answer } from '../../control/serve.ts';
import { formatMoney } from '../../money.ts';
import { sameText } from '../../outside/secrets.ts';
import type { GameServer, Protocol } from '../game-server.ts';
import { moveOnce } from '../move-once.ts';
import { amountOf, type Asked, isName, isReference, postCalls } from '../post-calls.ts';

type Refused =
  | 'INVALID_SIGNATURE'
  | 'INVALID_PARTNER'
  | 'WRONG_SYNTAX'
  | 'USER_DOES_NOT_EXIST'
  | 'USER_EXISTS'
  | 'NOT_ENOUGH_MONEY'
  | 'DUPLICATE_TRANSACTION'
  | 'QUEUED'
  | 'MAINTENANCE'
  | 'REFUSED';

const done = (data: object): Answer => ({ status: 200, body: { status: 'RS_OK', ...data } });
const refused = (word: Refused): Answer => ({ status: 200, body: { status: `RS_ERROR_${word}` } });

/** Bodies are signed with the caller's private key; references are idempotent, but have no status inquiry. */
export const circus: Protocol = {
  credentials: ['operatorId', 'privateKey'],
  calls: { moving: ['create', 'password', 'in', 'out'], others: ['balance'], referenced: ['in', 'out'] },
  says: {
    declined: () => refused('REFUSED'),
    maintenance: () => refused('MAINTENANCE'),
    unlisted: () => refused('QUEUED'),
    duplicate: () => refused('DUPLICATE_TRANSACTION'),
  },
  entrance: { path: 'auto-login', isSigned: () => true },
  routes: (app, gameServer) => {
    postCalls(app, gameServer, {
      calls: [
        { call: 'create', path: '/v2/player/create', act: create },
        { call: 'password', path: '/v2/player/password', act: password },
        { call: 'balance', path: '/v2/player/balance', act: balance },
        { call: 'in', path: '/v2/transfer/in', act: transfer('in') },
        { call: 'out', path: '/v2/transfer/out', act: transfer('out') },
      ],
      guard: guard(gameServer),
      malformed: () => refused('WRONG_SYNTAX'),
      about: ['transaction_uuid', 'user'],
    });
  },
};

/** The outside file holds the caller's key pair; the provider only has the public half. */
function guard(gameServer: GameServer): (asked: Asked) => Answer | undefined {
  const publicKey = createPublicKey(gameServer.credential('privateKey'));
  return ({ fields, request, text }) => {
    const header = request.headers['x-circus-signature'];
    const signature = Buffer.from(typeof header === 'string' ? header : '', 'base64');
    if (!verify('sha256', Buffer.from(text), publicKey, signature)) return refused('INVALID_SIGNATURE');
    return sameText(fields['operator_id'] ?? '', gameServer.credential('operatorId'))
      ? undefined
      : refused('INVALID_PARTNER');
  };
}

function create({ fields, gameServer }: Asked): Answer {
  const { user, password: chosen } = fields;
  if (!isName(user) || !isName(chosen)) return refused('WRONG_SYNTAX');
  return gameServer.players.create(user, chosen) ? done({ user: user.toLowerCase() }) : refused('USER_EXISTS');
}

function password({ fields, gameServer }: Asked): Answer {
  const { user, password: chosen } = fields;
  if (!isName(user) || !isName(chosen)) return refused('WRONG_SYNTAX');
  return gameServer.players.setPassword(user, chosen)
    ? done({ user: user.toLowerCase() })
    : refused('USER_DOES_NOT_EXIST');
}

function balance({ fields, gameServer }: Asked): Answer {
  const player = gameServer.players.find(fields['user'] ?? '');
  if (!player) return refused('USER_DOES_NOT_EXIST');
  return done({
    user: player.username,
    balance: formatMoney(player.balance),
    outstanding: formatMoney(player.outstanding),
    turnover: formatMoney(player.turnover),
  });
}

function transfer(direction: 'in' | 'out') {
  return ({ fields, gameServer }: Asked): Answer => {
    const { user, transaction_uuid: reference } = fields;
    const amount = amountOf(fields['amount']);
    if (!isName(user) || !isReference(reference) || amount === undefined) return refused('WRONG_SYNTAX');
    const made = moveOnce(gameServer.players, { username: user, direction, amount, reference });
    if (made === 'other-values') return refused('DUPLICATE_TRANSACTION');
    if (made === 'unknown-player') return refused('USER_DOES_NOT_EXIST');
    if (typeof made === 'string') return refused('NOT_ENOUGH_MONEY');
    return done({
      user: made.username,
      transaction_uuid: reference,
      amount: formatMoney(made.amount),
      balance: formatMoney(made.after),
    });
  };
}
