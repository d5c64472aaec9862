import { STORAGE } from '@krapao/contract/constants';
import { randomId } from '../api/call.ts';
import { sessionMark } from '../api/session.ts';

/** A game that was opened in this tab. */
export type Launch = {
  code: string;
  /** Idempotency key of the transfer back to the wallet: one per launch. */
  key: string;
  /** Amount of the transfer, in wire format, once it was sent. */
  amount?: number;
};

/** Games that this session opened in this tab since the last return, oldest first. */
function readLaunches(): readonly Launch[] {
  try {
    return parseLaunches(sessionStorage.getItem(STORAGE.launches) ?? '');
  } catch {
    return [];
  }
}

/** Launches of this session in their stored form. */
export function parseLaunches(text: string): readonly Launch[] {
  try {
    const { session, launches } = JSON.parse(text) as Partial<Record<string, unknown>>;
    return session === sessionMark() && Array.isArray(launches) ? launches.filter(isLaunch) : [];
  } catch {
    return [];
  }
}

function isLaunch(value: unknown): value is Launch {
  const { code, key, amount } = (value ?? {}) as Partial<Launch>;
  return typeof code === 'string' && typeof key === 'string' && (amount === undefined || typeof amount === 'number');
}

function writeLaunches(launches: readonly Launch[]): void {
  try {
    if (launches.length === 0) sessionStorage.removeItem(STORAGE.launches);
    else sessionStorage.setItem(STORAGE.launches, JSON.stringify({ session: sessionMark(), launches }));
  } catch {
    // Without storage, money returns to the wallet by a press only.
  }
}

const withoutGame = (code: string): Launch[] => readLaunches().filter((launch) => launch.code !== code);

/** Remembers that a game opens now. A transfer of its last launch without a reply is forgotten: the balance decides. */
export const rememberLaunch = (code: string): void => writeLaunches([...withoutGame(code), { code, key: randomId() }]);

/** Replaces the stored state of a launch. */
export const updateLaunch = (launch: Launch): void => writeLaunches([...withoutGame(launch.code), launch]);

export const forgetLaunch = (code: string): void => writeLaunches(withoutGame(code));

/** The stored state of a launch; undefined if it is forgotten, or if its game was opened again. */
export const storedLaunch = ({ key }: Pick<Launch, 'key'>): Launch | undefined =>
  readLaunches().find((launch) => launch.key === key);

export const hasLaunch = (code: string): boolean => readLaunches().some((launch) => launch.code === code);
