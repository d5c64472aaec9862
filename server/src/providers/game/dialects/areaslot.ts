import { z } from 'zod';
import type { ConfigOf } from '../../../outside/games.ts';
import { writeCredits } from '../credits.ts';
import {
  type Call,
  creditsField,
  createdAsAsked,
  type Dialect,
  type Fields,
  isAbout,
  linkField,
  movedAsAsked,
  post,
  reads,
  readsYes,
  usernameField,
} from '../dialect.ts';
import { md5, sortedText } from '../signing.ts';

const DONE = '0';

const envelope = z.object({ code: z.string(), data: z.unknown() });
const named = z.object({ username: usernameField });
const credit = named.extend({ balance: creditsField, outstanding: creditsField, turnover: creditsField });
const moved = named.extend({ amount: creditsField, before: creditsField, after: creditsField });
const opened = z.object({ url: linkField });

/**
 * Area Slot: every form signed by an MD5 over its fields. A transfer has no reference of ours and can't be asked about:
 * whoever gets no answer must compare the balance before and after.
 */
export function areaslotDialect({ agent, key }: ConfigOf<'areaslot'>): Dialect {
  const ask = <T>(word: string, fields: Fields, read: Call<T>['read']): Call<T> =>
    post(`/api/player/${word}`, { agent, ...fields }, read);
  return {
    encoding: 'json',
    verdict(answer) {
      const { data: read } = envelope.safeParse(answer);
      return read && (read.code === DONE ? { data: read.data } : { code: read.code });
    },
    codes: { E103: 'absent', E104: 'exists', E105: 'insufficient', E190: 'maintenance', E500: 'unknown' },
    sign: ({ fields }) => ({ fields: { sign: md5(`${sortedText(fields)}&key=${key}`) } }),
    create: (player) =>
      ask(
        'create',
        player,
        reads(named, (told) => createdAsAsked(player, told)),
      ),
    setPassword: (player) => ask('password', player, readsYes),
    balance: (username) =>
      ask(
        'balance',
        { username },
        reads(credit, ({ balance: cash, outstanding, turnover, ...told }) =>
          isAbout(username, told) ? { cash, outstanding, turnover } : undefined,
        ),
      ),
    move(movement) {
      const { username, direction, amount } = movement;
      const word = direction === 'in' ? 'deposit' : 'withdraw';
      const fields = { username, amount: writeCredits(amount) };
      return ask(
        word,
        fields,
        reads(moved, (told) => movedAsAsked(movement, told)),
      );
    },
    launch: {
      kind: 'link',
      needsPassword: false,
      ask({ username, game, language, returnUrl }) {
        const fields = { username, lang: language, returnUrl, ...(game === null ? {} : { game }) };
        return ask(
          'login',
          fields,
          reads(opened, ({ url }) => ({ link: url })),
        );
      },
    },
  };
}
