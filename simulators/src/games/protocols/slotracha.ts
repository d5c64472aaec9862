import type { Answer } from '../../control/serve.ts';
import { formatMoney } from '../../money.ts';
import { sameText } from '../../outside/secrets.ts';
import type { Protocol } from '../game-server.ts';
import { amountOf, type Asked, isName, postCalls } from '../post-calls.ts';

const STATUSES = {
  unauthenticated: 401,
  refused: 403,
  member_not_found: 404,
  member_exists: 409,
  credit_too_low: 409,
  invalid: 422,
  queued: 409,
  maintenance: 403,
} as const;

const DIRECTIONS: Readonly<Record<string, 'in' | 'out'>> = { 2: 'in', 3: 'out' };

const done = (data: object): Answer => ({ status: 200, body: { success: true, data } });
const refused = (error: keyof typeof STATUSES): Answer => ({
  status: STATUSES[error],
  body: { success: false, error },
});

/** One call moves credit in both directions, without reference, and does not return the new balance. */
export const slotracha: Protocol = {
  credentials: ['token'],
  calls: { moving: ['member', 'change-password', 'transfer'], others: ['credit'] },
  says: {
    declined: () => refused('refused'),
    maintenance: () => refused('maintenance'),
    unlisted: () => refused('queued'),
  },
  entrance: { path: 'api/login', isSigned: () => true },
  routes: (app, gameServer) => {
    const expected = `Bearer ${gameServer.credential('token')}`;
    postCalls(app, gameServer, {
      calls: [
        { call: 'member', path: '/member', act: member },
        { call: 'change-password', path: '/member/change-password', act: changePassword },
        { call: 'credit', path: '/credit', act: credit },
        { call: 'transfer', path: '/transfer', act: transfer },
      ],
      guard: ({ request }) =>
        sameText(request.headers.authorization ?? '', expected) ? undefined : refused('unauthenticated'),
      malformed: () => refused('invalid'),
      about: ['username'],
    });
  },
};

function member({ fields, gameServer }: Asked): Answer {
  const { username, password } = fields;
  if (!isName(username) || !isName(password)) return refused('invalid');
  return gameServer.players.create(username, password)
    ? done({ username: username.toLowerCase() })
    : refused('member_exists');
}

function changePassword({ fields, gameServer }: Asked): Answer {
  const { username, password } = fields;
  if (!isName(username) || !isName(password)) return refused('invalid');
  const isSet = gameServer.players.setPassword(username, password);
  return isSet ? done({ username: username.toLowerCase() }) : refused('member_not_found');
}

function credit({ fields, gameServer }: Asked): Answer {
  const player = gameServer.players.find(fields['username'] ?? '');
  if (!player) return refused('member_not_found');
  const { username, balance, outstanding } = player;
  return done({ username, credit: formatMoney(balance), outstanding: formatMoney(outstanding) });
}

function transfer({ fields, gameServer }: Asked): Answer {
  const { username, type = '' } = fields;
  const direction = DIRECTIONS[type];
  const amount = amountOf(fields['amount']);
  if (!isName(username) || !direction || amount === undefined) return refused('invalid');
  const made = gameServer.players.transfer({ username, direction, amount, reference: null });
  if (made === 'unknown-player') return refused('member_not_found');
  if (typeof made === 'string') return refused('credit_too_low');
  return done({ username: made.username, amount: formatMoney(made.amount), type: Number(type) });
}
