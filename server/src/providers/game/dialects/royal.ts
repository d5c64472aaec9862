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
  movedAsAsked,
  post,
  reads,
  readsYes,
  usernameField,
} from '../dialect.ts';
import { md5, sortedText } from '../signing.ts';

const DONE = 0;

const envelope = z.looseObject({ error: z.int() });
const named = z.object({ username: usernameField });
const balance = named.extend({ balance: creditsField, outstanding: creditsField });
const moved = named.extend({ amount: creditsField, before: creditsField, after: creditsField });

/**
 * royal: an agent's counter, and one site for everybody, where members sign in by hand. A transfer has no reference of
 * ours and can't be asked about.
 */
export function royalDialect({ agent, key }: ConfigOf<'royal'>): Dialect {
  const ask = <T>(word: string, fields: Fields, read: Call<T>['read']): Call<T> =>
    post(`/agent/${word}`, { agent, ...fields }, read);
  return {
    encoding: 'form',
    // Its answers are flat: the error stands beside the data.
    verdict(answer) {
      const { data: read } = envelope.safeParse(answer);
      if (!read) return undefined;
      return read.error === DONE ? { data: read } : { code: String(read.error) };
    },
    codes: { 4: 'absent', 5: 'exists', 6: 'insufficient', 90: 'maintenance', 99: 'unknown' },
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
        reads(balance, ({ balance: cash, outstanding, ...told }) =>
          isAbout(username, told) ? { cash, outstanding, turnover: null } : undefined,
        ),
      ),
    move: (movement) =>
      ask(
        movement.direction === 'in' ? 'deposit' : 'withdraw',
        { username: movement.username, amount: writeCredits(movement.amount) },
        reads(moved, (told) => movedAsAsked(movement, told)),
      ),
    launch: { kind: 'fixed', path: '/' },
  };
}
