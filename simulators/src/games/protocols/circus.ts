import { createPublicKey, verify } from 'node:crypto';
import type { Answer } from '../../control/serve.ts';
import { formatMoney } from '../../money.ts';
import { sameText } from '../../outside/secrets.ts';
import type { GameServer, Protocol } from '../game-server.ts';
import { moveOnce } from '../move-once.ts';
import { amountOf, type ProviderRequest, isName, isReference, postCalls } from '../post-calls.ts';

type RefusalWord =
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

const doneReply = (data: object): Answer => ({ status: 200, body: { status: 'RS_OK', ...data } });
const refusedReply = (status: RefusalWord): Answer => ({ status: 200, body: { status: `RS_ERROR_${status}` } });

/** Bodies are signed with the caller's private key; references are idempotent, without status inquiry. */
export const circus: Protocol = {
  credentials: ['operatorId', 'privateKey'],
  calls: { moving: ['create', 'password', 'in', 'out'], others: ['balance'], referenced: ['in', 'out'] },
  denialReplies: {
    declined: () => refusedReply('REFUSED'),
    maintenance: () => refusedReply('MAINTENANCE'),
    unlisted: () => refusedReply('QUEUED'),
    duplicate: () => refusedReply('DUPLICATE_TRANSACTION'),
  },
  entrance: { path: 'auto-login', isSigned: () => true },
  routes: (app, gameServer) => {
    postCalls(app, gameServer, {
      calls: [
        { call: 'create', path: '/v2/player/create', handle: create },
        { call: 'password', path: '/v2/player/password', handle: password },
        { call: 'balance', path: '/v2/player/balance', handle: balance },
        { call: 'in', path: '/v2/transfer/in', handle: transfer('in') },
        { call: 'out', path: '/v2/transfer/out', handle: transfer('out') },
      ],
      guard: checkSignature(gameServer),
      malformed: () => refusedReply('WRONG_SYNTAX'),
      about: ['transaction_uuid', 'user'],
    });
  },
};

/** Verifies the signature. The outside file holds the caller's key pair; the provider uses only the public half. */
function checkSignature(gameServer: GameServer): (request: ProviderRequest) => Answer | undefined {
  const publicKey = createPublicKey(gameServer.credential('privateKey'));
  return ({ fields, request, text }) => {
    const header = request.headers['x-circus-signature'];
    const signature = Buffer.from(typeof header === 'string' ? header : '', 'base64');
    if (!verify('sha256', Buffer.from(text), publicKey, signature)) return refusedReply('INVALID_SIGNATURE');
    return sameText(fields['operator_id'] ?? '', gameServer.credential('operatorId'))
      ? undefined
      : refusedReply('INVALID_PARTNER');
  };
}

function create({ fields, gameServer }: ProviderRequest): Answer {
  const { user, password: newPassword } = fields;
  if (!isName(user) || !isName(newPassword)) return refusedReply('WRONG_SYNTAX');
  return gameServer.players.create(user, newPassword)
    ? doneReply({ user: user.toLowerCase() })
    : refusedReply('USER_EXISTS');
}

function password({ fields, gameServer }: ProviderRequest): Answer {
  const { user, password: newPassword } = fields;
  if (!isName(user) || !isName(newPassword)) return refusedReply('WRONG_SYNTAX');
  return gameServer.players.setPassword(user, newPassword)
    ? doneReply({ user: user.toLowerCase() })
    : refusedReply('USER_DOES_NOT_EXIST');
}

function balance({ fields, gameServer }: ProviderRequest): Answer {
  const player = gameServer.players.find(fields['user'] ?? '');
  if (!player) return refusedReply('USER_DOES_NOT_EXIST');
  return doneReply({
    user: player.username,
    balance: formatMoney(player.balance),
    outstanding: formatMoney(player.outstanding),
    turnover: formatMoney(player.turnover),
  });
}

function transfer(direction: 'in' | 'out') {
  return ({ fields, gameServer }: ProviderRequest): Answer => {
    const { user, transaction_uuid: reference } = fields;
    const amount = amountOf(fields['amount']);
    if (!isName(user) || !isReference(reference) || amount === undefined) return refusedReply('WRONG_SYNTAX');
    const transferResult = moveOnce(gameServer.players, { username: user, direction, amount, reference });
    if (transferResult === 'other-values') return refusedReply('DUPLICATE_TRANSACTION');
    if (transferResult === 'unknown-player') return refusedReply('USER_DOES_NOT_EXIST');
    if (typeof transferResult === 'string') return refusedReply('NOT_ENOUGH_MONEY');
    return doneReply({
      user: transferResult.username,
      transaction_uuid: reference,
      amount: formatMoney(transferResult.amount),
      balance: formatMoney(transferResult.after),
    });
  };
}
