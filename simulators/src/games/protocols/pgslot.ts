import type { Answer } from '../../control/serve.ts';
import { formatMoney } from '../../money.ts';
import { sameText } from '../../outside/secrets.ts';
import { type GameServer, languageOf, type Protocol, returnUrlOf } from '../game-server.ts';
import { amountOf, type Asked, isName, postCalls } from '../post-calls.ts';
import { stretched } from '../signing.ts';

const MESSAGES = {
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

const done = (data: object): Answer => ({
  status: 200,
  body: { status: { code: 1000, message: 'Success' }, data },
});
const refused = (code: keyof typeof MESSAGES): Answer => ({
  status: 200,
  body: { status: { code, message: MESSAGES[code] }, data: null },
});

/** Accounts come from a pool, with name and password chosen by the provider. */
export const pgslot: Protocol = {
  credentials: ['agent', 'secret'],
  calls: { moving: ['create', 'password', 'deposit', 'withdraw'], others: ['balance', 'launch'] },
  says: { declined: () => refused(1499), maintenance: () => refused(1498), unlisted: () => refused(1450) },
  routes: (app, gameServer) => {
    postCalls(app, gameServer, {
      calls: [
        { call: 'create', path: '/partner/create', act: create },
        { call: 'password', path: '/partner/password', act: password },
        { call: 'balance', path: '/partner/balance', act: balance },
        { call: 'deposit', path: '/partner/deposit', act: transfer('in') },
        { call: 'withdraw', path: '/partner/withdraw', act: transfer('out') },
        { call: 'launch', path: '/partner/launch', act: launch },
      ],
      guard: (asked) => guard(asked, gameServer),
      malformed: () => refused(1403),
      about: ['username', 'memberRef'],
    });
  },
};

function guard({ fields, request, text }: Asked, gameServer: GameServer): Answer | undefined {
  const signature = request.headers['x-amb-signature'];
  const expected = stretched(text, gameServer.credential('secret'));
  if (typeof signature !== 'string' || !sameText(signature, expected)) return refused(1401);
  return sameText(fields['agent'] ?? '', gameServer.credential('agent')) ? undefined : refused(1402);
}

function create({ fields, gameServer }: Asked): Answer {
  const { memberRef } = fields;
  if (!isName(memberRef)) return refused(1403);
  const account = gameServer.players.fromPool(memberRef, gameServer.state);
  return account === 'pool-empty' ? refused(1405) : done({ memberRef, ...account });
}

function password({ fields, gameServer }: Asked): Answer {
  const { username, password: chosen } = fields;
  if (!isName(username) || !isName(chosen)) return refused(1403);
  return gameServer.players.setPassword(username, chosen) ? done({ username: username.toLowerCase() }) : refused(1404);
}

function balance({ fields, gameServer }: Asked): Answer {
  const player = gameServer.players.find(fields['username'] ?? '');
  if (!player) return refused(1404);
  return done({
    username: player.username,
    balance: formatMoney(player.balance),
    outstanding: formatMoney(player.outstanding),
    turnover: formatMoney(player.turnover),
  });
}

function transfer(direction: 'in' | 'out') {
  return ({ fields, gameServer }: Asked): Answer => {
    const { username } = fields;
    const amount = amountOf(fields['amount']);
    if (!isName(username) || amount === undefined) return refused(1403);
    const made = gameServer.players.transfer({ username, direction, amount, reference: null });
    if (made === 'unknown-player') return refused(1404);
    if (typeof made === 'string') return refused(1406);
    return done({
      refId: `PGS${String(made.id).padStart(10, '0')}`,
      username: made.username,
      amount: formatMoney(made.amount),
      balance: { before: formatMoney(made.before), after: formatMoney(made.after) },
    });
  };
}

function launch({ fields, gameServer, request }: Asked): Answer {
  const { username, password: candidate = '' } = fields;
  if (!isName(username)) return refused(1403);
  if (!gameServer.players.find(username)) return refused(1404);
  const game = gameServer.gameNamed(fields['gameCode']);
  if (!game || !gameServer.players.passwordFits(username, candidate)) return refused(1407);
  if (gameServer.state.launchRefused) return refused(1499);
  const returnUrl = returnUrlOf(fields['returnUrl']);
  const { path } = gameServer.begin({ username, game, language: languageOf(fields['language']), returnUrl });
  return done({ url: gameServer.address(request, path) });
}
