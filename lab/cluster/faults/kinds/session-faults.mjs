const SHARES = [0.2, 0.5, 1];

/** Faults of the nodes' sessions at the leader, which takes milliseconds. @returns undefined when there was none to signal */
export const SESSION_FAULTS = {
  'backends terminated': { run: (wish) => signalSessions(wish, 'pg_terminate_backend') },
  'statements cancelled': { run: (wish) => signalSessions(wish, 'pg_cancel_backend') },
};

async function signalSessions({ cluster: { postgres }, random }, signal) {
  const share = random.pick(SHARES);
  const leader = await postgres.leader();
  const which = `usename = 'krapao' and random() < ${share}`;
  const sql = `select count(${signal}(pid)) from pg_stat_activity where ${which}`;
  // Without a leader, or with one that has just been frozen, there is nothing to signal.
  const count = leader && (await postgres.sql(leader, sql).catch(() => undefined));
  return Number(count) > 0 ? count : undefined;
}
