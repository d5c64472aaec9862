import type { Answer } from '../../control/serve.ts';
import { formatMoney } from '../../money.ts';
import { sameText } from '../../outside/secrets.ts';
import { languageOf, type Protocol, returnUrlOf } from '../game-server.ts';
import { amountOf, type ProviderRequest, isName, isReference, postCalls } from '../post-calls.ts';

const SPORTS_PRODUCT = 'SPORT';
const REFUSAL_MESSAGES = {
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

const doneReply = (data: object): Answer => ({ status: 200, body: { code: 0, message: 'SUCCESS', data } });
const refusedReply = (code: keyof typeof REFUSAL_MESSAGES): Answer => ({
  status: code === 401 ? 401 : 200,
  body: { code, message: REFUSAL_MESSAGES[code], data: null },
});

/** A reference is accepted once and refused afterwards; a separate call returns open stakes. */
export const imi: Protocol = {
  credentials: ['user', 'password'],
  calls: {
    moving: ['member', 'password', 'deposit', 'withdraw'],
    others: ['balance', 'outstanding', 'logIn'],
    referenced: ['deposit', 'withdraw'],
  },
  denialReplies: {
    declined: () => refusedReply(1099),
    maintenance: () => refusedReply(1098),
    unlisted: () => refusedReply(1050),
    duplicate: () => refusedReply(1005),
  },
  routes: (app, gameServer) => {
    const credentialPair = `${gameServer.credential('user')}:${gameServer.credential('password')}`;
    const expectedHeader = `Basic ${Buffer.from(credentialPair).toString('base64')}`;
    postCalls(app, gameServer, {
      calls: [
        { call: 'member', path: '/member', handle: member },
        { call: 'password', path: '/password', handle: password },
        { call: 'balance', path: '/balance', handle: balance },
        { call: 'outstanding', path: '/outstanding', handle: outstanding },
        { call: 'deposit', path: '/deposit', handle: transfer('in') },
        { call: 'withdraw', path: '/withdraw', handle: transfer('out') },
        { call: 'logIn', path: '/logIn', handle: logIn },
      ],
      guard: ({ request }) =>
        sameText(request.headers.authorization ?? '', expectedHeader) ? undefined : refusedReply(401),
      malformed: () => refusedReply(1001),
      about: ['transactionRef', 'username'],
    });
  },
};

function member({ fields, gameServer }: ProviderRequest): Answer {
  const { username, password: newPassword } = fields;
  if (!isName(username) || !isName(newPassword)) return refusedReply(1001);
  return gameServer.players.create(username, newPassword)
    ? doneReply({ username: username.toLowerCase() })
    : refusedReply(1003);
}

function password({ fields, gameServer }: ProviderRequest): Answer {
  const { username, password: newPassword } = fields;
  if (!isName(username) || !isName(newPassword)) return refusedReply(1001);
  return gameServer.players.setPassword(username, newPassword)
    ? doneReply({ username: username.toLowerCase() })
    : refusedReply(1002);
}

function balance({ fields, gameServer }: ProviderRequest): Answer {
  const player = gameServer.players.find(fields['username'] ?? '');
  if (!player) return refusedReply(1002);
  const { username, turnover } = player;
  return doneReply({ username, balance: formatMoney(player.balance), turnover: formatMoney(turnover) });
}

function outstanding({ fields, gameServer }: ProviderRequest): Answer {
  const player = gameServer.players.find(fields['username'] ?? '');
  if (!player) return refusedReply(1002);
  const { username } = player;
  const roundIds = [true, false]
    .flatMap((open) => gameServer.rounds.list({ username, open, limit: 1 }))
    .map(({ id }) => id);
  return doneReply({
    username,
    outstanding: formatMoney(player.outstanding),
    lastBetId: roundIds.length === 0 ? null : Math.max(...roundIds),
  });
}

function transfer(direction: 'in' | 'out') {
  return ({ fields, gameServer: { players } }: ProviderRequest): Answer => {
    const { username, transactionRef: reference } = fields;
    const amount = amountOf(fields['amount']);
    if (!isName(username) || !isReference(reference) || amount === undefined) return refusedReply(1001);
    if (players.transferByReference(reference)) return refusedReply(1005);
    const transferResult = players.transfer({ username, direction, amount, reference });
    if (transferResult === 'unknown-player') return refusedReply(1002);
    if (typeof transferResult === 'string') return refusedReply(1004);
    return doneReply({
      txId: `IMI${String(transferResult.id).padStart(10, '0')}`,
      username: transferResult.username,
      transactionRef: reference,
      amount: formatMoney(transferResult.amount),
      beforeBalance: formatMoney(transferResult.before),
      afterBalance: formatMoney(transferResult.after),
    });
  };
}

function logIn({ fields, gameServer, request }: ProviderRequest): Answer {
  const { username, password: sentPassword = '' } = fields;
  if (!isName(username)) return refusedReply(1001);
  if (!gameServer.players.find(username)) return refusedReply(1002);
  if (!gameServer.players.passwordFits(username, sentPassword)) return refusedReply(1006);
  const game = fields['productId'] === SPORTS_PRODUCT ? gameServer.gameNamed(fields['gameCode']) : undefined;
  if (!game) return refusedReply(1007);
  if (gameServer.state.launchRefused) return refusedReply(1099);
  const returnUrl = returnUrlOf(fields['returnUrl']);
  const { path } = gameServer.begin({ username, game, language: languageOf(fields['language']), returnUrl });
  return doneReply({ url: gameServer.address(request, path) });
}
