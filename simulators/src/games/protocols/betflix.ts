import type { Answer } from '../../control/serve.ts';
import { formatMoney } from '../../money.ts';
import { sameText } from '../../outside/secrets.ts';
import { changeOf, parseChange } from '../change.ts';
import { languageOf, type Protocol, returnUrlOf } from '../game-server.ts';
import { type Asked, isName, isReference, postCalls } from '../post-calls.ts';

const MESSAGES = {
  1001: 'Invalid key',
  1002: 'Invalid value',
  1003: 'User not found',
  1004: 'User already exists',
  1006: 'Credit is not enough',
  1008: 'Duplicate ref',
  1009: 'Game not found',
  1050: 'Queued',
  1090: 'Under maintenance',
  1099: 'Refused',
} as const;

function done(data: object): Answer {
  return { status: 200, body: { status: 'success', error_code: 0, msg: '', data } };
}

function refused(code: keyof typeof MESSAGES): Answer {
  return { status: 200, body: { status: 'error', error_code: code, msg: MESSAGES[code], data: null } };
}

/** Keys in headers, one call for both directions, a single-use reference without status inquiry. */
export const betflix: Protocol = {
  credentials: ['apiKey', 'apiCat'],
  calls: {
    moving: ['register', 'reset-password', 'transfer'],
    others: ['balance', 'login'],
    referenced: ['transfer'],
  },
  says: {
    declined: () => refused(1099),
    maintenance: () => refused(1090),
    unlisted: () => refused(1050),
    duplicate: () => refused(1008),
  },
  routes: (app, gameServer) => {
    postCalls(app, gameServer, {
      calls: [
        { call: 'register', path: '/v4/user/register', act: register },
        { call: 'reset-password', path: '/v4/user/reset-password', act: resetPassword },
        { call: 'balance', path: '/v4/user/balance', act: balance },
        { call: 'transfer', path: '/v4/user/transfer', act: transfer },
        { call: 'login', path: '/v4/play/login', act: login },
      ],
      guard,
      malformed: () => refused(1002),
      about: ['ref', 'username'],
    });
  },
  entrance: { path: 'play/login' },
};

function guard({ request: { headers }, gameServer }: Asked): Answer | undefined {
  const isAgent =
    sameText(String(headers['x-api-key']), gameServer.credential('apiKey')) &&
    sameText(String(headers['x-api-cat']), gameServer.credential('apiCat'));
  return isAgent ? undefined : refused(1001);
}

function register({ fields: { username = '', password = '' }, gameServer: { players } }: Asked): Answer {
  if (!isName(username) || !isName(password)) return refused(1002);
  return players.create(username, password) ? done({ username: username.toLowerCase() }) : refused(1004);
}

function resetPassword({ fields: { username = '', password = '' }, gameServer: { players } }: Asked): Answer {
  if (!isName(password)) return refused(1002);
  return players.setPassword(username, password) ? done({ username: username.toLowerCase() }) : refused(1003);
}

function balance({ fields: { username = '' }, gameServer: { players } }: Asked): Answer {
  const player = players.find(username);
  if (!player) return refused(1003);
  return done({
    username: player.username,
    balance: formatMoney(player.balance),
    outstanding: formatMoney(player.outstanding),
    turnover: formatMoney(player.turnover),
  });
}

function transfer({ fields: { username = '', amount, ref = '' }, gameServer: { players } }: Asked): Answer {
  const change = parseChange(amount);
  if (!change || !isReference(ref)) return refused(1002);
  if (players.transferByReference(ref)) return refused(1008);
  const made = players.transfer({ username, ...change, reference: ref });
  if (made === 'unknown-player') return refused(1003);
  if (typeof made === 'string') return refused(1006);
  return done({
    username: made.username,
    ref,
    amount: formatMoney(changeOf(made)),
    balance_before: formatMoney(made.before),
    balance: formatMoney(made.after),
  });
}

function login({ fields, gameServer }: Asked): Answer {
  const player = gameServer.players.find(fields['username'] ?? '');
  if (!player) return refused(1003);
  const game = gameServer.gameNamed(fields['game']);
  if (!game) return refused(1009);
  if (gameServer.state.launchRefused) return refused(1099);
  const { username } = player;
  const language = languageOf(fields['lang']);
  const { token } = gameServer.begin({ username, game, language, returnUrl: returnUrlOf(fields['return_url']) });
  return done({ login_token: token });
}
