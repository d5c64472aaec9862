import type { TestContext } from 'node:test';
import { Players } from '../../src/games/players.ts';
import { PROVIDERS } from '../../src/games/providers.ts';
import { startSimulators } from '../../src/server.ts';
import { Store } from '../../src/store.ts';
import { ask, outsideFor, temporaryFolder } from '../harness.ts';

export const MEMBER = { username: 'mali05', password: 'Secret12' };

/** Starts simulators with one player registered at all startAllProviders providers. */
export async function startAllProviders(t: TestContext): Promise<string> {
  const dataDir = temporaryFolder(t);
  const store = new Store(dataDir);
  for (const provider of PROVIDERS) new Players(store, provider).create(MEMBER.username, MEMBER.password);
  store.close();
  const outside = outsideFor('http://127.0.0.1:9/callback');
  const simulators = await startSimulators({ port: 0, dataDir, outside });
  t.after(() => simulators.close());
  return simulators.address;
}

/** Changes the state of providers. */
export const order = (address: string, games: object) =>
  ask<{ games: Record<string, { maintenance: boolean; launchRefused: boolean; pool: number | null }>; error?: string }>(
    address,
    'POST',
    '/control/settings',
    { games },
  );

/** Response of a path, without following redirects. */
export async function open(
  address: string,
  path: string,
  form?: Record<string, string>,
): Promise<{ status: number; to: string; html: string }> {
  const response = await fetch(address + path, {
    redirect: 'manual',
    ...(form && { method: 'POST', body: new URLSearchParams(form) }),
  });
  const to = response.headers.get('location') ?? '';
  return { status: response.status, to, html: await response.text() };
}
