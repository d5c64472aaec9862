import type { Answer } from '../../control/serve.ts';
import { formatMoney } from '../../money.ts';
import { md5, sameText } from '../../outside/secrets.ts';
import { languageOf, type Protocol, returnUrlOf } from '../game-server.ts';
import { amountOf, type Asked, isName, postCalls } from '../post-calls.ts';
import { sortedText } from '../signing.ts';

const MESSAGES = {
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

function done(data: object): Answer {
  return { status: 200, body: { code: '0', msg: 'OK', data } };
}

function refused(code: keyof typeof MESSAGES): Answer {
  return { status: 200, body: { code, msg: MESSAGES[code], data: null } };
}

/** Signed by an MD5 over the fields; no caller's reference, not idempotent, no status inquiry. */
export const areaslot: Protocol = {
  credentials: ['agent', 'key'],
  calls: { moving: ['create', 'password', 'deposit', 'withdraw'], others: ['balance', 'login'] },
  says: { declined: () => refused('E199'), maintenance: () => refused('E190'), unlisted: () => refused('E150') },
  routes: (app, gameServer) => {
    postCalls(app, gameServer, {
      calls: [
        { call: 'create', path: '/api/player/create', act: create },
        { call: 'password', path: '/api/player/password', act: setPassword },
        { call: 'balance', path: '/api/player/balance', act: balance },
        { call: 'deposit', path: '/api/player/deposit', act: transfer('in') },
        { call: 'withdraw', path: '/api/player/withdraw', act: transfer('out') },
        { call: 'login', path: '/api/player/login', act: login },
      ],
      guard,
      malformed: () => refused('E102'),
      about: ['username'],
    });
  },
};

function guard({ fields: { sign = '', ...signed }, gameServer }: Asked): Answer | undefined {
  const isSigned =
    sameText(signed['agent'] ?? '', gameServer.credential('agent')) &&
    sameText(sign, md5(`${sortedText(signed)}&key=${gameServer.credential('key')}`));
  return isSigned ? undefined : refused('E101');
}

function create({ fields: { username = '', password = '' }, gameServer: { players } }: Asked): Answer {
  if (!isName(username) || !isName(password)) return refused('E102');
  return players.create(username, password) ? done({ username: username.toLowerCase() }) : refused('E104');
}

function setPassword({ fields: { username = '', password = '' }, gameServer: { players } }: Asked): Answer {
  if (!isName(password)) return refused('E102');
  return players.setPassword(username, password) ? done({ username: username.toLowerCase() }) : refused('E103');
}

function balance({ fields: { username = '' }, gameServer: { players } }: Asked): Answer {
  const player = players.find(username);
  if (!player) return refused('E103');
  return done({
    username: player.username,
    balance: formatMoney(player.balance),
    outstanding: formatMoney(player.outstanding),
    turnover: formatMoney(player.turnover),
  });
}

function transfer(direction: 'in' | 'out') {
  return ({ fields, gameServer: { players } }: Asked): Answer => {
    const amount = amountOf(fields['amount']);
    if (amount === undefined) return refused('E102');
    const made = players.transfer({ username: fields['username'] ?? '', direction, amount, reference: null });
    if (made === 'unknown-player') return refused('E103');
    if (typeof made === 'string') return refused('E105');
    return done({
      txId: made.id,
      username: made.username,
      amount: formatMoney(made.amount),
      before: formatMoney(made.before),
      after: formatMoney(made.after),
    });
  };
}

function login({ fields, gameServer, request }: Asked): Answer {
  const player = gameServer.players.find(fields['username'] ?? '');
  if (!player) return refused('E103');
  const game = gameServer.gameNamed(fields['game']);
  if (!game) return refused('E106');
  if (gameServer.state.launchRefused) return refused('E199');
  const { username } = player;
  const language = languageOf(fields['lang']);
  const { path } = gameServer.begin({ username, game, language, returnUrl: returnUrlOf(fields['returnUrl']) });
  return done({ url: gameServer.address(request, path) });
}
