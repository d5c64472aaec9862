import { z } from 'zod';
import { outsideText } from '../../outside-text.ts';
import type { ConfigOf } from '../config.ts';
import { type Dialect, post } from '../dialect.ts';
import { writeCredits, type Direction, type Moved } from '../port.ts';
import { creditsField, isAbout, parseReply, createdParser, passwordSetParser, usernameField } from '../replies.ts';
import { loginQuery } from '../signing.ts';

const TYPE_OF_DIRECTION: Record<Direction, number> = { in: 2, out: 3 };

const replyEnvelope = z.union([
  z.object({ success: z.literal(true), data: z.unknown() }),
  z.object({ success: z.literal(false), error: outsideText(64) }),
]);
const nameReply = z.object({ username: usernameField });
const creditReply = nameReply.extend({ credit: creditsField, outstanding: creditsField });
const movedReply = nameReply.extend({ amount: creditsField, type: z.int() });

/**
 * slotracha: players by name and password, signed in by a link that carries both. One call moves money in both
 * directions, without a client reference and without the new balance in its reply; there is no status inquiry.
 */
export function slotrachaDialect({ token }: ConfigOf<'slotracha'>): Dialect {
  return {
    encoding: 'json',
    statuses: [200, 401, 403, 404, 409, 422],
    verdict(replyBody) {
      const { data: envelope } = replyEnvelope.safeParse(replyBody);
      if (!envelope) return undefined;
      return envelope.success ? { data: envelope.data } : { code: envelope.error };
    },
    codes: {
      unauthenticated: 'declined',
      refused: 'declined',
      invalid: 'declined',
      member_not_found: 'no-player',
      member_exists: 'exists',
      credit_too_low: 'insufficient',
      maintenance: 'maintenance',
      internal: 'unknown',
    },
    sign: () => ({ headers: { authorization: `Bearer ${token}` } }),
    create: (player) => post('/member', player, createdParser(player)),
    setPassword: (player) => post('/member/change-password', player, passwordSetParser(player)),
    balance: (username) =>
      post(
        '/credit',
        { username },
        parseReply(creditReply, ({ credit: cash, outstanding, ...reported }) =>
          isAbout(username, reported) ? { cash, outstanding, turnover: null } : undefined,
        ),
      ),
    move({ username, direction, amount }) {
      const type = TYPE_OF_DIRECTION[direction];
      const read = parseReply(movedReply, (reported): Moved | undefined =>
        isAbout(username, reported) && reported.type === type && reported.amount === amount
          ? { balance: null }
          : undefined,
      );
      return post('/transfer', { username, amount: writeCredits(amount), type }, read);
    },
    launch: {
      kind: 'link',
      needsPassword: true,
      build: (options, site) => `${site}/api/login?${loginQuery(options)}`,
    },
  };
}
