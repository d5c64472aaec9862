import { createHmac } from 'node:crypto';
import type { Answer } from '../../control/serve.ts';
import { formatMoney } from '../../money.ts';
import { sameText } from '../../outside/secrets.ts';
import type { Protocol } from '../game-server.ts';
import { moveOnce } from '../move-once.ts';
import type { GameTransfer } from '../players.ts';
import { amountOf, type Asked, isName, isReference, postCalls } from '../post-calls.ts';
import { isInTime, sortedQuery } from '../signing.ts';

type Word =
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

function done(data: object): Answer {
  return { status: 200, body: { ok: true, data } };
}

function refused(error: Word): Answer {
  return { status: 200, body: { ok: false, error } };
}

/** Providers to whose site a browser posts name and password. Signed forms, idempotent references. */
export const formpost: Protocol = {
  credentials: ['merchant', 'secret'],
  calls: {
    moving: ['create', 'password', 'in', 'out'],
    others: ['balance', 'find'],
    referenced: ['in', 'out'],
    checks: ['find'],
  },
  says: {
    declined: () => refused('REFUSED'),
    maintenance: () => refused('CLOSED'),
    unlisted: () => refused('QUEUED'),
    unknownPlayer: () => refused('NO_MEMBER'),
    duplicate: () => refused('REF_USED'),
    absent: () => refused('NO_TRANSACTION'),
  },
  routes: (app, gameServer) => {
    postCalls(app, gameServer, {
      calls: [
        { call: 'create', path: '/api/member/create', act: create },
        { call: 'password', path: '/api/member/password', act: setPassword },
        { call: 'balance', path: '/api/member/balance', act: balance },
        { call: 'in', path: '/api/credit/in', act: transfer('in') },
        { call: 'out', path: '/api/credit/out', act: transfer('out') },
        { call: 'find', path: '/api/credit/find', act: find },
      ],
      guard,
      malformed: () => refused('BAD_FIELD'),
      about: ['ref', 'username'],
    });
  },
};

function guard({ fields: { sign = '', ...signed }, gameServer }: Asked): Answer | undefined {
  const text = sortedQuery(signed);
  const expected = createHmac('sha256', gameServer.credential('secret')).update(text, 'utf8').digest('hex');
  const isOurs = sameText(signed['merchant'] ?? '', gameServer.credential('merchant')) && isInTime(signed['time']);
  return isOurs && sameText(sign, expected) ? undefined : refused('BAD_SIGN');
}

function create({ fields: { username = '', password = '' }, gameServer: { players } }: Asked): Answer {
  if (!isName(username) || !isName(password)) return refused('BAD_FIELD');
  return players.create(username, password) ? done({ username: username.toLowerCase() }) : refused('EXISTS');
}

function setPassword({ fields: { username = '', password = '' }, gameServer: { players } }: Asked): Answer {
  if (!isName(password)) return refused('BAD_FIELD');
  return players.setPassword(username, password) ? done({ username: username.toLowerCase() }) : refused('NO_MEMBER');
}

function balance({ fields: { username = '' }, gameServer: { players } }: Asked): Answer {
  const player = players.find(username);
  if (!player) return refused('NO_MEMBER');
  return done({
    username: player.username,
    credit: formatMoney(player.balance),
    outstanding: formatMoney(player.outstanding),
    turnover: formatMoney(player.turnover),
  });
}

function transfer(direction: 'in' | 'out') {
  return ({ fields: { username = '', ref: reference = '', ...fields }, gameServer: { players } }: Asked): Answer => {
    const amount = amountOf(fields['amount']);
    if (amount === undefined || !isReference(reference)) return refused('BAD_FIELD');
    const made = moveOnce(players, { username, direction, amount, reference });
    if (made === 'other-values') return refused('REF_USED');
    if (made === 'unknown-player') return refused('NO_MEMBER');
    return typeof made === 'string' ? refused('NOT_ENOUGH') : done(shown(made));
  };
}

function shown(made: GameTransfer): object {
  return {
    username: made.username,
    ref: made.reference,
    direction: made.direction,
    amount: formatMoney(made.amount),
    creditBefore: formatMoney(made.before),
    creditAfter: formatMoney(made.after),
  };
}

function find({ fields: { username = '', ref = '' }, gameServer: { players } }: Asked): Answer {
  const made = players.transferByReference(ref);
  if (!made || made.username !== username.toLowerCase()) return refused('NO_TRANSACTION');
  return done(shown(made));
}
