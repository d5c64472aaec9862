const SESSION_SHARES = [0.2, 0.5, 1];

/** Faults of the nodes' sessions on the leader; they take milliseconds. @returns undefined if there was no session */
export const SESSION_FAULTS = {
  'backends terminated': { run: (context) => signalSessions(context, 'pg_terminate_backend') },
  'statements cancelled': { run: (context) => signalSessions(context, 'pg_cancel_backend') },
};

async function signalSessions({ cluster: { postgres }, random }, signal) {
  const sessionShare = random.pick(SESSION_SHARES);
  const leader = await postgres.leader();
  const sessionFilter = `usename = 'krapao' and random() < ${sessionShare}`;
  const sql = `select count(${signal}(pid)) from pg_stat_activity where ${sessionFilter}`;
  // Without a leader, or with a frozen one, there is no session to signal.
  const count = leader && (await postgres.sql(leader, sql).catch(() => undefined));
  return Number(count) > 0 ? count : undefined;
}
