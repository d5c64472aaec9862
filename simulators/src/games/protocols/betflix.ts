import type { Answer } from '../../control/serve.ts';
import { formatMoney } from '../../money.ts';
import { sameText } from '../../outside/secrets.ts';
import { languageOf, type Protocol, returnUrlOf } from '../game-server.ts';
import { type ProviderRequest, isName, isReference, postCalls } from '../post-calls.ts';
import { signedAmountOf, parseSignedAmount } from '../signed-amount.ts';

const REFUSAL_MESSAGES = {
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

function doneReply(data: object): Answer {
  return { status: 200, body: { status: 'success', error_code: 0, msg: '', data } };
}

function refusedReply(code: keyof typeof REFUSAL_MESSAGES): Answer {
  return { status: 200, body: { status: 'error', error_code: code, msg: REFUSAL_MESSAGES[code], data: null } };
}

/** Keys in headers, one call for both directions, a single-use reference without status inquiry. */
export const betflix: Protocol = {
  credentials: ['apiKey', 'apiCat'],
  calls: {
    moving: ['register', 'reset-password', 'transfer'],
    others: ['balance', 'login'],
    referenced: ['transfer'],
  },
  denialReplies: {
    declined: () => refusedReply(1099),
    maintenance: () => refusedReply(1090),
    unlisted: () => refusedReply(1050),
    duplicate: () => refusedReply(1008),
  },
  routes: (app, gameServer) => {
    postCalls(app, gameServer, {
      calls: [
        { call: 'register', path: '/v4/user/register', handle: register },
        { call: 'reset-password', path: '/v4/user/reset-password', handle: resetPassword },
        { call: 'balance', path: '/v4/user/balance', handle: balance },
        { call: 'transfer', path: '/v4/user/transfer', handle: transfer },
        { call: 'login', path: '/v4/play/login', handle: login },
      ],
      guard: checkKeys,
      malformed: () => refusedReply(1002),
      about: ['ref', 'username'],
    });
  },
  entrance: { path: 'play/login' },
};

function checkKeys({ request: { headers }, gameServer }: ProviderRequest): Answer | undefined {
  const isAgent =
    sameText(String(headers['x-api-key']), gameServer.credential('apiKey')) &&
    sameText(String(headers['x-api-cat']), gameServer.credential('apiCat'));
  return isAgent ? undefined : refusedReply(1001);
}

function register({ fields: { username = '', password = '' }, gameServer: { players } }: ProviderRequest): Answer {
  if (!isName(username) || !isName(password)) return refusedReply(1002);
  return players.create(username, password) ? doneReply({ username: username.toLowerCase() }) : refusedReply(1004);
}

function resetPassword({ fields: { username = '', password = '' }, gameServer: { players } }: ProviderRequest): Answer {
  if (!isName(password)) return refusedReply(1002);
  return players.setPassword(username, password) ? doneReply({ username: username.toLowerCase() }) : refusedReply(1003);
}

function balance({ fields: { username = '' }, gameServer: { players } }: ProviderRequest): Answer {
  const player = players.find(username);
  if (!player) return refusedReply(1003);
  return doneReply({
    username: player.username,
    balance: formatMoney(player.balance),
    outstanding: formatMoney(player.outstanding),
    turnover: formatMoney(player.turnover),
  });
}

function transfer({ fields: { username = '', amount, ref = '' }, gameServer: { players } }: ProviderRequest): Answer {
  const balanceChange = parseSignedAmount(amount);
  if (!balanceChange || !isReference(ref)) return refusedReply(1002);
  if (players.transferByReference(ref)) return refusedReply(1008);
  const transferResult = players.transfer({ username, ...balanceChange, reference: ref });
  if (transferResult === 'unknown-player') return refusedReply(1003);
  if (typeof transferResult === 'string') return refusedReply(1006);
  return doneReply({
    username: transferResult.username,
    ref,
    amount: formatMoney(signedAmountOf(transferResult)),
    balance_before: formatMoney(transferResult.before),
    balance: formatMoney(transferResult.after),
  });
}

function login({ fields, gameServer }: ProviderRequest): Answer {
  const player = gameServer.players.find(fields['username'] ?? '');
  if (!player) return refusedReply(1003);
  const game = gameServer.gameNamed(fields['game']);
  if (!game) return refusedReply(1009);
  if (gameServer.state.launchRefused) return refusedReply(1099);
  const { username } = player;
  const language = languageOf(fields['lang']);
  const { token } = gameServer.begin({ username, game, language, returnUrl: returnUrlOf(fields['return_url']) });
  return doneReply({ login_token: token });
}
