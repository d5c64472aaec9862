import type { Answer } from '../../control/serve.ts';
import { formatMoney } from '../../money.ts';
import { md5, sameText } from '../../outside/secrets.ts';
import { languageOf, type Protocol, returnUrlOf } from '../game-server.ts';
import { amountOf, type ProviderRequest, isName, postCalls } from '../post-calls.ts';
import { sortedText } from '../signing.ts';

const REFUSAL_MESSAGES = {
  E101: 'Wrong agent or sign',
  E102: 'Invalid value',
  E103: 'Player not found',
  E104: 'Player exists',
  E105: 'Not enough credit',
  E106: 'Game not found',
  E150: 'Queued',
  E190: 'Under maintenance',
  E199: 'Refused',
} as const;

function doneReply(data: object): Answer {
  return { status: 200, body: { code: '0', msg: 'OK', data } };
}

function refusedReply(code: keyof typeof REFUSAL_MESSAGES): Answer {
  return { status: 200, body: { code, msg: REFUSAL_MESSAGES[code], data: null } };
}

/** Calls signed by an MD5 over the fields; no client reference, not idempotent, no status inquiry. */
export const areaslot: Protocol = {
  credentials: ['agent', 'key'],
  calls: { moving: ['create', 'password', 'deposit', 'withdraw'], others: ['balance', 'login'] },
  denialReplies: {
    declined: () => refusedReply('E199'),
    maintenance: () => refusedReply('E190'),
    unlisted: () => refusedReply('E150'),
  },
  routes: (app, gameServer) => {
    postCalls(app, gameServer, {
      calls: [
        { call: 'create', path: '/api/player/create', handle: create },
        { call: 'password', path: '/api/player/password', handle: setPassword },
        { call: 'balance', path: '/api/player/balance', handle: balance },
        { call: 'deposit', path: '/api/player/deposit', handle: transfer('in') },
        { call: 'withdraw', path: '/api/player/withdraw', handle: transfer('out') },
        { call: 'login', path: '/api/player/login', handle: login },
      ],
      guard: checkSignature,
      malformed: () => refusedReply('E102'),
      about: ['username'],
    });
  },
};

function checkSignature({ fields: { sign = '', ...signedFields }, gameServer }: ProviderRequest): Answer | undefined {
  const isSigned =
    sameText(signedFields['agent'] ?? '', gameServer.credential('agent')) &&
    sameText(sign, md5(`${sortedText(signedFields)}&key=${gameServer.credential('key')}`));
  return isSigned ? undefined : refusedReply('E101');
}

function create({ fields: { username = '', password = '' }, gameServer: { players } }: ProviderRequest): Answer {
  if (!isName(username) || !isName(password)) return refusedReply('E102');
  return players.create(username, password) ? doneReply({ username: username.toLowerCase() }) : refusedReply('E104');
}

function setPassword({ fields: { username = '', password = '' }, gameServer: { players } }: ProviderRequest): Answer {
  if (!isName(password)) return refusedReply('E102');
  return players.setPassword(username, password)
    ? doneReply({ username: username.toLowerCase() })
    : refusedReply('E103');
}

function balance({ fields: { username = '' }, gameServer: { players } }: ProviderRequest): Answer {
  const player = players.find(username);
  if (!player) return refusedReply('E103');
  return doneReply({
    username: player.username,
    balance: formatMoney(player.balance),
    outstanding: formatMoney(player.outstanding),
    turnover: formatMoney(player.turnover),
  });
}

function transfer(direction: 'in' | 'out') {
  return ({ fields, gameServer: { players } }: ProviderRequest): Answer => {
    const amount = amountOf(fields['amount']);
    if (amount === undefined) return refusedReply('E102');
    const transferResult = players.transfer({ username: fields['username'] ?? '', direction, amount, reference: null });
    if (transferResult === 'unknown-player') return refusedReply('E103');
    if (typeof transferResult === 'string') return refusedReply('E105');
    return doneReply({
      txId: transferResult.id,
      username: transferResult.username,
      amount: formatMoney(transferResult.amount),
      before: formatMoney(transferResult.before),
      after: formatMoney(transferResult.after),
    });
  };
}

function login({ fields, gameServer, request }: ProviderRequest): Answer {
  const player = gameServer.players.find(fields['username'] ?? '');
  if (!player) return refusedReply('E103');
  const game = gameServer.gameNamed(fields['game']);
  if (!game) return refusedReply('E106');
  if (gameServer.state.launchRefused) return refusedReply('E199');
  const { username } = player;
  const language = languageOf(fields['lang']);
  const { path } = gameServer.begin({ username, game, language, returnUrl: returnUrlOf(fields['returnUrl']) });
  return doneReply({ url: gameServer.address(request, path) });
}
