import type { Answer } from '../../control/serve.ts';
import { formatMoney } from '../../money.ts';
import { sameText } from '../../outside/secrets.ts';
import { languageOf, type Protocol, returnUrlOf } from '../game-server.ts';
import { amountOf, type Asked, isName, isReference, postCalls } from '../post-calls.ts';

const PRODUCT = 'SPORT';
const MESSAGES = {
  401: 'Unauthorized',
  1001: 'Invalid parameter',
  1002: 'Member not found',
  1003: 'Member already exists',
  1004: 'Insufficient balance',
  1005: 'Duplicate transactionRef',
  1006: 'Wrong password',
  1007: 'Game not found',
  1050: 'Queued',
  1098: 'Under maintenance',
  1099: 'Refused',
} as const;

const done = (data: object): Answer => ({ status: 200, body: { code: 0, message: 'SUCCESS', data } });
const refused = (code: keyof typeof MESSAGES): Answer => ({
  status: code === 401 ? 401 : 200,
  body: { code, message: MESSAGES[code], data: null },
});

/** A reference is accepted once and refused afterwards; a separate call returns open stakes. */
export const imi: Protocol = {
  credentials: ['user', 'password'],
  calls: {
    moving: ['member', 'password', 'deposit', 'withdraw'],
    others: ['balance', 'outstanding', 'logIn'],
    referenced: ['deposit', 'withdraw'],
  },
  says: {
    declined: () => refused(1099),
    maintenance: () => refused(1098),
    unlisted: () => refused(1050),
    duplicate: () => refused(1005),
  },
  routes: (app, gameServer) => {
    const pair = `${gameServer.credential('user')}:${gameServer.credential('password')}`;
    const expected = `Basic ${Buffer.from(pair).toString('base64')}`;
    postCalls(app, gameServer, {
      calls: [
        { call: 'member', path: '/member', act: member },
        { call: 'password', path: '/password', act: password },
        { call: 'balance', path: '/balance', act: balance },
        { call: 'outstanding', path: '/outstanding', act: outstanding },
        { call: 'deposit', path: '/deposit', act: transfer('in') },
        { call: 'withdraw', path: '/withdraw', act: transfer('out') },
        { call: 'logIn', path: '/logIn', act: logIn },
      ],
      guard: ({ request }) => (sameText(request.headers.authorization ?? '', expected) ? undefined : refused(401)),
      malformed: () => refused(1001),
      about: ['transactionRef', 'username'],
    });
  },
};

function member({ fields, gameServer }: Asked): Answer {
  const { username, password: chosen } = fields;
  if (!isName(username) || !isName(chosen)) return refused(1001);
  return gameServer.players.create(username, chosen) ? done({ username: username.toLowerCase() }) : refused(1003);
}

function password({ fields, gameServer }: Asked): Answer {
  const { username, password: chosen } = fields;
  if (!isName(username) || !isName(chosen)) return refused(1001);
  return gameServer.players.setPassword(username, chosen) ? done({ username: username.toLowerCase() }) : refused(1002);
}

function balance({ fields, gameServer }: Asked): Answer {
  const player = gameServer.players.find(fields['username'] ?? '');
  if (!player) return refused(1002);
  const { username, turnover } = player;
  return done({ username, balance: formatMoney(player.balance), turnover: formatMoney(turnover) });
}

function outstanding({ fields, gameServer }: Asked): Answer {
  const player = gameServer.players.find(fields['username'] ?? '');
  if (!player) return refused(1002);
  const { username } = player;
  const last = [true, false]
    .flatMap((open) => gameServer.rounds.list({ username, open, limit: 1 }))
    .map(({ id }) => id);
  return done({
    username,
    outstanding: formatMoney(player.outstanding),
    lastBetId: last.length === 0 ? null : Math.max(...last),
  });
}

function transfer(direction: 'in' | 'out') {
  return ({ fields, gameServer: { players } }: Asked): Answer => {
    const { username, transactionRef: reference } = fields;
    const amount = amountOf(fields['amount']);
    if (!isName(username) || !isReference(reference) || amount === undefined) return refused(1001);
    if (players.transferByReference(reference)) return refused(1005);
    const made = players.transfer({ username, direction, amount, reference });
    if (made === 'unknown-player') return refused(1002);
    if (typeof made === 'string') return refused(1004);
    return done({
      txId: `IMI${String(made.id).padStart(10, '0')}`,
      username: made.username,
      transactionRef: reference,
      amount: formatMoney(made.amount),
      beforeBalance: formatMoney(made.before),
      afterBalance: formatMoney(made.after),
    });
  };
}

function logIn({ fields, gameServer, request }: Asked): Answer {
  const { username, password: candidate = '' } = fields;
  if (!isName(username)) return refused(1001);
  if (!gameServer.players.find(username)) return refused(1002);
  if (!gameServer.players.passwordFits(username, candidate)) return refused(1006);
  const game = fields['productId'] === PRODUCT ? gameServer.gameNamed(fields['gameCode']) : undefined;
  if (!game) return refused(1007);
  if (gameServer.state.launchRefused) return refused(1099);
  const returnUrl = returnUrlOf(fields['returnUrl']);
  const { path } = gameServer.begin({ username, game, language: languageOf(fields['language']), returnUrl });
  return done({ url: gameServer.address(request, path) });
}
