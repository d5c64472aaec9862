import { z } from 'zod';
import type { ConfigOf } from '../config.ts';
import { creditsField, isAbout, parseReply, readsCreated, readsSet, usernameField } from '../replies.ts';
import { writeCredits, type Direction, type Moved } from '../port.ts';
import { type Dialect, post } from '../dialect.ts';
import { loginQuery } from '../signing.ts';
import { outsideText } from '../../outside-text.ts';

const TYPE: Record<Direction, number> = { in: 2, out: 3 };

const envelope = z.union([
  z.object({ success: z.literal(true), data: z.unknown() }),
  z.object({ success: z.literal(false), error: outsideText(64) }),
]);
const named = z.object({ username: usernameField });
const credit = named.extend({ credit: creditsField, outstanding: creditsField });
const moved = named.extend({ amount: creditsField, type: z.int() });

/**
 * slotracha: players by name and password, signed in by a link that carries both. One call moves money in both
 * directions, without a client reference and without the new balance in its reply; there is no status inquiry.
 */
export function slotrachaDialect({ token }: ConfigOf<'slotracha'>): Dialect {
  return {
    encoding: 'json',
    statuses: [200, 401, 403, 404, 409, 422],
    verdict(answer) {
      const { data: read } = envelope.safeParse(answer);
      if (!read) return undefined;
      return read.success ? { data: read.data } : { code: read.error };
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
    create: (player) => post('/member', player, readsCreated(player)),
    setPassword: (player) => post('/member/change-password', player, readsSet(player)),
    balance: (username) =>
      post(
        '/credit',
        { username },
        parseReply(credit, ({ credit: cash, outstanding, ...reported }) =>
          isAbout(username, reported) ? { cash, outstanding, turnover: null } : undefined,
        ),
      ),
    move({ username, direction, amount }) {
      const type = TYPE[direction];
      const read = parseReply(moved, (reported): Moved | undefined =>
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
