import type { Answer } from '../../control/serve.ts';
import { formatMoney } from '../../money.ts';
import { sameText } from '../../outside/secrets.ts';
import { type GameServer, languageOf, type Protocol, returnUrlOf } from '../game-server.ts';
import { amountOf, type ProviderRequest, isName, postCalls } from '../post-calls.ts';
import { pbkdf2Signature } from '../signing.ts';

const REFUSAL_MESSAGES = {
  1401: 'Invalid signature',
  1402: 'Invalid agent',
  1403: 'Invalid parameter',
  1404: 'Username not found',
  1405: 'No account available',
  1406: 'Insufficient balance',
  1407: 'Can not launch',
  1450: 'Queued',
  1498: 'Under maintenance',
  1499: 'Refused',
} as const;

const doneReply = (data: object): Answer => ({
  status: 200,
  body: { status: { code: 1000, message: 'Success' }, data },
});
const refusedReply = (code: keyof typeof REFUSAL_MESSAGES): Answer => ({
  status: 200,
  body: { status: { code, message: REFUSAL_MESSAGES[code] }, data: null },
});

/** Accounts come from a pool, with name and password chosen by the provider. */
export const pgslot: Protocol = {
  credentials: ['agent', 'secret'],
  calls: { moving: ['create', 'password', 'deposit', 'withdraw'], others: ['balance', 'launch'] },
  denialReplies: {
    declined: () => refusedReply(1499),
    maintenance: () => refusedReply(1498),
    unlisted: () => refusedReply(1450),
  },
  routes: (app, gameServer) => {
    postCalls(app, gameServer, {
      calls: [
        { call: 'create', path: '/partner/create', handle: create },
        { call: 'password', path: '/partner/password', handle: password },
        { call: 'balance', path: '/partner/balance', handle: balance },
        { call: 'deposit', path: '/partner/deposit', handle: transfer('in') },
        { call: 'withdraw', path: '/partner/withdraw', handle: transfer('out') },
        { call: 'launch', path: '/partner/launch', handle: launch },
      ],
      guard: (callRequest) => checkSignature(callRequest, gameServer),
      malformed: () => refusedReply(1403),
      about: ['username', 'memberRef'],
    });
  },
};

function checkSignature({ fields, request, text }: ProviderRequest, gameServer: GameServer): Answer | undefined {
  const signature = request.headers['x-amb-signature'];
  const expectedSignature = pbkdf2Signature(text, gameServer.credential('secret'));
  if (typeof signature !== 'string' || !sameText(signature, expectedSignature)) return refusedReply(1401);
  return sameText(fields['agent'] ?? '', gameServer.credential('agent')) ? undefined : refusedReply(1402);
}

function create({ fields, gameServer }: ProviderRequest): Answer {
  const { memberRef } = fields;
  if (!isName(memberRef)) return refusedReply(1403);
  const account = gameServer.players.fromPool(memberRef, gameServer.state);
  return account === 'pool-empty' ? refusedReply(1405) : doneReply({ memberRef, ...account });
}

function password({ fields, gameServer }: ProviderRequest): Answer {
  const { username, password: newPassword } = fields;
  if (!isName(username) || !isName(newPassword)) return refusedReply(1403);
  return gameServer.players.setPassword(username, newPassword)
    ? doneReply({ username: username.toLowerCase() })
    : refusedReply(1404);
}

function balance({ fields, gameServer }: ProviderRequest): Answer {
  const player = gameServer.players.find(fields['username'] ?? '');
  if (!player) return refusedReply(1404);
  return doneReply({
    username: player.username,
    balance: formatMoney(player.balance),
    outstanding: formatMoney(player.outstanding),
    turnover: formatMoney(player.turnover),
  });
}

function transfer(direction: 'in' | 'out') {
  return ({ fields, gameServer }: ProviderRequest): Answer => {
    const { username } = fields;
    const amount = amountOf(fields['amount']);
    if (!isName(username) || amount === undefined) return refusedReply(1403);
    const transferResult = gameServer.players.transfer({ username, direction, amount, reference: null });
    if (transferResult === 'unknown-player') return refusedReply(1404);
    if (typeof transferResult === 'string') return refusedReply(1406);
    return doneReply({
      refId: `PGS${String(transferResult.id).padStart(10, '0')}`,
      username: transferResult.username,
      amount: formatMoney(transferResult.amount),
      balance: { before: formatMoney(transferResult.before), after: formatMoney(transferResult.after) },
    });
  };
}

function launch({ fields, gameServer, request }: ProviderRequest): Answer {
  const { username, password: sentPassword = '' } = fields;
  if (!isName(username)) return refusedReply(1403);
  if (!gameServer.players.find(username)) return refusedReply(1404);
  const game = gameServer.gameNamed(fields['gameCode']);
  if (!game || !gameServer.players.passwordFits(username, sentPassword)) return refusedReply(1407);
  if (gameServer.state.launchRefused) return refusedReply(1499);
  const returnUrl = returnUrlOf(fields['returnUrl']);
  const { path } = gameServer.begin({ username, game, language: languageOf(fields['language']), returnUrl });
  return doneReply({ url: gameServer.address(request, path) });
}
