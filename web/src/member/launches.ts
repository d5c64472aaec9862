import { STORAGE } from '@krapao/contract/constants';
import { randomId } from '../api/call.ts';
import { launchesKey } from '../api/session.ts';

/** A game that this session opened, in any tab. */
export type Launch = {
  code: string;
  /** Idempotency key of the transfer back to the wallet: one per launch. */
  key: string;
  /** Amount of the transfer, in wire format, once it was sent. */
  amount?: number;
};

/** Games that this session opened since the last return, oldest first. */
function readLaunches(): readonly Launch[] {
  try {
    return parseLaunches(localStorage.getItem(launchesKey()) ?? '');
  } catch {
    return [];
  }
}

/** Launches in their stored form. */
export function parseLaunches(text: string): readonly Launch[] {
  try {
    const launches: unknown = JSON.parse(text);
    return Array.isArray(launches) ? launches.filter(isLaunch) : [];
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
    if (launches.length === 0) localStorage.removeItem(launchesKey());
    else localStorage.setItem(launchesKey(), JSON.stringify(launches));
  } catch {
    // Without storage, money returns to the wallet by a press only.
  }
}

const withoutGame = (code: string): Launch[] => readLaunches().filter((launch) => launch.code !== code);

/**
 * Remembers that a game opens now. A transfer of its last launch without a reply is forgotten: the balance decides.
 * @param tab the game's own tab; the app loaded there later counts as a return from this game
 */
export function rememberLaunch(code: string, tab?: Window): void {
  const launch = { code, key: randomId() };
  writeLaunches([...withoutGame(code), launch]);
  try {
    tab?.sessionStorage.setItem(STORAGE.launches, `${code} ${launch.key}`);
  } catch {
    // If the tab is closed or has no storage, the app there does not reopen the game's dialog.
  }
}

/** Replaces the stored state of a launch. */
export const updateLaunch = (launch: Launch): void => writeLaunches([...withoutGame(launch.code), launch]);

export const forgetLaunch = (code: string): void => writeLaunches(withoutGame(code));

/** The stored state of a launch; undefined if it is forgotten, or if its game was opened again. */
export const storedLaunch = ({ key }: Pick<Launch, 'key'>): Launch | undefined =>
  readLaunches().find((launch) => launch.key === key);

export const hasLaunch = (code: string): boolean => readLaunches().some((launch) => launch.code === code);
