import type { Answer } from '../../control/serve.ts';
import { formatMoney } from '../../money.ts';
import { sameText } from '../../outside/secrets.ts';
import type { Protocol } from '../game-server.ts';
import { amountOf, type ProviderRequest, isName, postCalls } from '../post-calls.ts';

const STATUS_OF_ERROR = {
  unauthenticated: 401,
  refused: 403,
  member_not_found: 404,
  member_exists: 409,
  credit_too_low: 409,
  invalid: 422,
  queued: 409,
  maintenance: 403,
} as const;

const DIRECTION_OF_TYPE: Readonly<Record<string, 'in' | 'out'>> = { 2: 'in', 3: 'out' };

const doneReply = (data: object): Answer => ({ status: 200, body: { success: true, data } });
const refusedReply = (error: keyof typeof STATUS_OF_ERROR): Answer => ({
  status: STATUS_OF_ERROR[error],
  body: { success: false, error },
});

/** One call moves credit in both directions, without reference, and does not return the new balance. */
export const slotracha: Protocol = {
  credentials: ['token'],
  calls: { moving: ['member', 'change-password', 'transfer'], others: ['credit'] },
  denialReplies: {
    declined: () => refusedReply('refused'),
    maintenance: () => refusedReply('maintenance'),
    unlisted: () => refusedReply('queued'),
  },
  entrance: { path: 'api/login', isSigned: () => true },
  routes: (app, gameServer) => {
    const expectedHeader = `Bearer ${gameServer.credential('token')}`;
    postCalls(app, gameServer, {
      calls: [
        { call: 'member', path: '/member', handle: member },
        { call: 'change-password', path: '/member/change-password', handle: changePassword },
        { call: 'credit', path: '/credit', handle: credit },
        { call: 'transfer', path: '/transfer', handle: transfer },
      ],
      guard: ({ request }) =>
        sameText(request.headers.authorization ?? '', expectedHeader) ? undefined : refusedReply('unauthenticated'),
      malformed: () => refusedReply('invalid'),
      about: ['username'],
    });
  },
};

function member({ fields, gameServer }: ProviderRequest): Answer {
  const { username, password } = fields;
  if (!isName(username) || !isName(password)) return refusedReply('invalid');
  return gameServer.players.create(username, password)
    ? doneReply({ username: username.toLowerCase() })
    : refusedReply('member_exists');
}

function changePassword({ fields, gameServer }: ProviderRequest): Answer {
  const { username, password } = fields;
  if (!isName(username) || !isName(password)) return refusedReply('invalid');
  const isSet = gameServer.players.setPassword(username, password);
  return isSet ? doneReply({ username: username.toLowerCase() }) : refusedReply('member_not_found');
}

function credit({ fields, gameServer }: ProviderRequest): Answer {
  const player = gameServer.players.find(fields['username'] ?? '');
  if (!player) return refusedReply('member_not_found');
  const { username, balance, outstanding } = player;
  return doneReply({ username, credit: formatMoney(balance), outstanding: formatMoney(outstanding) });
}

function transfer({ fields, gameServer }: ProviderRequest): Answer {
  const { username, type = '' } = fields;
  const direction = DIRECTION_OF_TYPE[type];
  const amount = amountOf(fields['amount']);
  if (!isName(username) || !direction || amount === undefined) return refusedReply('invalid');
  const transferResult = gameServer.players.transfer({ username, direction, amount, reference: null });
  if (transferResult === 'unknown-player') return refusedReply('member_not_found');
  if (typeof transferResult === 'string') return refusedReply('credit_too_low');
  return doneReply({
    username: transferResult.username,
    amount: formatMoney(transferResult.amount),
    type: Number(type),
  });
}
