import { launchSystem, type RunningSystem } from './start-system.ts';
import { test } from './test.ts';

/**
 * Starts a separate system for the tests of a `describe`; every helper uses it during these tests.
 * @param environment additional settings
 * @returns the running system
 */
export function useSeparateSystem(environment: Readonly<Record<string, string>> = {}): () => RunningSystem {
  let before: Pick<NodeJS.ProcessEnv, 'KRAPAO_URL' | 'SIMULATORS_URL'>;
  let system: RunningSystem | undefined;

  // In one worker: otherwise each worker would start a system for its tests, which takes five seconds of processor
  // time.
  test.describe.configure({ mode: 'default' });
  test.beforeAll(async () => {
    test.setTimeout(120_000);
    const { KRAPAO_URL, SIMULATORS_URL } = process.env;
    before = { KRAPAO_URL, SIMULATORS_URL };
    system = await launchSystem(environment);
    Object.assign(process.env, { KRAPAO_URL: system.url, SIMULATORS_URL: system.simulatorsUrl });
  });
  test.afterAll(async () => {
    Object.assign(process.env, before);
    await system?.stop();
  });

  return () => {
    if (!system) throw new Error('the system runs while a test does');
    return system;
  };
}
