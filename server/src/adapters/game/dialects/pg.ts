import { z } from 'zod';
import { outsideText } from '../../outside-text.ts';
import type { ConfigOf } from '../config.ts';
import { type Dialect, post } from '../dialect.ts';
import { writeCredits, type Direction, type Moved, type Movement } from '../port.ts';
import { creditsField, changedByExactly, parseReply, linkParser } from '../replies.ts';

const CURRENCY = 'THB';
const TYPE_OF_DIRECTION: Record<Direction, number> = { in: 1, out: 2 };

const REPLY_MEANINGS: Dialect['codes'] = {
  1034: 'declined',
  1035: 'declined',
  // The provider's own "internal error".
  1200: 'unknown',
  1204: 'declined',
  1305: 'exists',
  1400: 'maintenance',
  3004: 'no-player',
  3013: 'insufficient',
  3040: 'no-transfer',
  // The reference was used with other values, which proves nothing about the first call.
  3109: 'unknown',
  3200: 'declined',
  3301: 'declined',
};

const replyEnvelope = z.object({
  data: z.unknown(),
  error: z.object({ code: z.union([outsideText(64), z.int()]) }).nullable(),
});
const doneReply = z.object({ action_result: z.literal(1) });
const walletReply = z.object({ cashBalance: creditsField, outstandingBalance: creditsField });
const transfer = z.object({
  transferReference: outsideText(64),
  amount: creditsField,
  balanceAmountBefore: creditsField,
  balanceAmount: creditsField,
});
const transaction = z.object({
  transferReference: outsideText(64),
  playerName: outsideText(64),
  transactionType: z.int(),
  transactionAmount: creditsField,
  balanceAmountBefore: creditsField,
  balanceAmount: creditsField,
});

/**
 * PG: players by name, signed in by a session link. Our reference makes a transfer idempotent, and inquiries by
 * reference never expire.
 */
export function pgDialect({ operatorToken, secretKey }: ConfigOf<'pg'>): Dialect {
  return {
    encoding: 'form',
    verdict(replyBody) {
      const { data: envelope } = replyEnvelope.safeParse(replyBody);
      if (!envelope) return undefined;
      return envelope.error ? { code: String(envelope.error.code) } : { data: envelope.data };
    },
    codes: REPLY_MEANINGS,
    sign: () => ({ fields: { operator_token: operatorToken, secret_key: secretKey } }),
    create({ username, password }) {
      const fields = { player_name: username, currency: CURRENCY, nickname: username, password };
      return post(
        '/Player/v1/Create',
        fields,
        parseReply(doneReply, () => ({ username })),
      );
    },
    setPassword: ({ username, password }) =>
      post(
        '/Player/v1/SetPassword',
        { player_name: username, password },
        parseReply(doneReply, () => true as const),
      ),
    balance: (username) =>
      post(
        '/Cash/v3/GetPlayerWallet',
        { player_name: username },
        parseReply(walletReply, (reported) => ({
          cash: reported.cashBalance,
          outstanding: reported.outstandingBalance,
          turnover: null,
        })),
      ),
    move(movement) {
      const { username, direction, amount, reference } = movement;
      const fields = {
        player_name: username,
        amount: writeCredits(amount),
        transfer_reference: reference,
        currency: CURRENCY,
      };
      const path = direction === 'in' ? '/Cash/v3/TransferIn' : '/Cash/v3/TransferOut';
      const read = parseReply(transfer, (reported): Moved | undefined =>
        reported.transferReference === reference &&
        reported.amount === amount &&
        changedByExactly(movement, { before: reported.balanceAmountBefore, after: reported.balanceAmount })
          ? { balance: reported.balanceAmount }
          : undefined,
      );
      return post(path, fields, read);
    },
    check(movement) {
      const fields = { player_name: movement.username, transfer_reference: movement.reference };
      const read = parseReply(transaction, (reported): Moved | undefined =>
        matchesMovement(movement, reported) ? { balance: reported.balanceAmount } : undefined,
      );
      return post('/Cash/v3/GetSingleTransaction', fields, read);
    },
    launch: {
      kind: 'link',
      needsPassword: false,
      ask({ username, game, language, returnUrl }) {
        const gameField = game === null ? {} : { game_code: game };
        const fields = { player_name: username, language, return_url: returnUrl, ...gameField };
        return post('/Login/v1/LoginGame', fields, linkParser);
      },
    },
  };
}

function matchesMovement(movement: Movement, reported: z.output<typeof transaction>): boolean {
  return (
    reported.transferReference === movement.reference &&
    reported.playerName.toLowerCase() === movement.username.toLowerCase() &&
    reported.transactionType === TYPE_OF_DIRECTION[movement.direction] &&
    reported.transactionAmount === movement.amount &&
    changedByExactly(movement, { before: reported.balanceAmountBefore, after: reported.balanceAmount })
  );
}
