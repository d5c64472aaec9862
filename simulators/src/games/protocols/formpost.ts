import { createHmac } from 'node:crypto';
import type { Answer } from '../../control/serve.ts';
import { formatMoney } from '../../money.ts';
import { sameText } from '../../outside/secrets.ts';
import type { Protocol } from '../game-server.ts';
import { moveOnce } from '../move-once.ts';
import type { GameTransfer } from '../players.ts';
import { amountOf, type ProviderRequest, isName, isReference, postCalls } from '../post-calls.ts';
import { isInTime, sortedQuery } from '../signing.ts';

type RefusalWord =
  | 'BAD_SIGN'
  | 'BAD_FIELD'
  | 'NO_MEMBER'
  | 'EXISTS'
  | 'NOT_ENOUGH'
  | 'NO_TRANSACTION'
  | 'REF_USED'
  | 'QUEUED'
  | 'CLOSED'
  | 'REFUSED';

function doneReply(data: object): Answer {
  return { status: 200, body: { ok: true, data } };
}

function refusedReply(error: RefusalWord): Answer {
  return { status: 200, body: { ok: false, error } };
}

/** Providers whose game opens by a form that the browser posts. Server calls are signed forms; a repeated reference has no effect. */
export const formpost: Protocol = {
  credentials: ['merchant', 'secret'],
  calls: {
    moving: ['create', 'password', 'in', 'out'],
    others: ['balance', 'find'],
    referenced: ['in', 'out'],
    checks: ['find'],
  },
  denialReplies: {
    declined: () => refusedReply('REFUSED'),
    maintenance: () => refusedReply('CLOSED'),
    unlisted: () => refusedReply('QUEUED'),
    unknownPlayer: () => refusedReply('NO_MEMBER'),
    duplicate: () => refusedReply('REF_USED'),
    absent: () => refusedReply('NO_TRANSACTION'),
  },
  routes: (app, gameServer) => {
    postCalls(app, gameServer, {
      calls: [
        { call: 'create', path: '/api/member/create', handle: create },
        { call: 'password', path: '/api/member/password', handle: setPassword },
        { call: 'balance', path: '/api/member/balance', handle: balance },
        { call: 'in', path: '/api/credit/in', handle: transfer('in') },
        { call: 'out', path: '/api/credit/out', handle: transfer('out') },
        { call: 'find', path: '/api/credit/find', handle: findTransfer },
      ],
      guard: checkSignature,
      malformed: () => refusedReply('BAD_FIELD'),
      about: ['ref', 'username'],
    });
  },
};

function checkSignature({ fields: { sign = '', ...signedFields }, gameServer }: ProviderRequest): Answer | undefined {
  const text = sortedQuery(signedFields);
  const expectedSignature = createHmac('sha256', gameServer.credential('secret')).update(text, 'utf8').digest('hex');
  const isOurs =
    sameText(signedFields['merchant'] ?? '', gameServer.credential('merchant')) && isInTime(signedFields['time']);
  return isOurs && sameText(sign, expectedSignature) ? undefined : refusedReply('BAD_SIGN');
}

function create({ fields: { username = '', password = '' }, gameServer: { players } }: ProviderRequest): Answer {
  if (!isName(username) || !isName(password)) return refusedReply('BAD_FIELD');
  return players.create(username, password) ? doneReply({ username: username.toLowerCase() }) : refusedReply('EXISTS');
}

function setPassword({ fields: { username = '', password = '' }, gameServer: { players } }: ProviderRequest): Answer {
  if (!isName(password)) return refusedReply('BAD_FIELD');
  return players.setPassword(username, password)
    ? doneReply({ username: username.toLowerCase() })
    : refusedReply('NO_MEMBER');
}

function balance({ fields: { username = '' }, gameServer: { players } }: ProviderRequest): Answer {
  const player = players.find(username);
  if (!player) return refusedReply('NO_MEMBER');
  return doneReply({
    username: player.username,
    credit: formatMoney(player.balance),
    outstanding: formatMoney(player.outstanding),
    turnover: formatMoney(player.turnover),
  });
}

function transfer(direction: 'in' | 'out') {
  return ({
    fields: { username = '', ref: reference = '', ...fields },
    gameServer: { players },
  }: ProviderRequest): Answer => {
    const amount = amountOf(fields['amount']);
    if (amount === undefined || !isReference(reference)) return refusedReply('BAD_FIELD');
    const transferResult = moveOnce(players, { username, direction, amount, reference });
    if (transferResult === 'other-values') return refusedReply('REF_USED');
    if (transferResult === 'unknown-player') return refusedReply('NO_MEMBER');
    return typeof transferResult === 'string' ? refusedReply('NOT_ENOUGH') : doneReply(transferView(transferResult));
  };
}

function transferView(transfer: GameTransfer): object {
  return {
    username: transfer.username,
    ref: transfer.reference,
    direction: transfer.direction,
    amount: formatMoney(transfer.amount),
    creditBefore: formatMoney(transfer.before),
    creditAfter: formatMoney(transfer.after),
  };
}

function findTransfer({ fields: { username = '', ref = '' }, gameServer: { players } }: ProviderRequest): Answer {
  const transfer = players.transferByReference(ref);
  if (!transfer || transfer.username !== username.toLowerCase()) return refusedReply('NO_TRANSACTION');
  return doneReply(transferView(transfer));
}
