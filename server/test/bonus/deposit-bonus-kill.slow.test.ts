import { strict as assert } from 'node:assert';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { audit } from '../../src/ledger/audit.ts';
import { announceTransfer } from '../deposit/bank-transfer/feed-fixtures.ts';
import { makeInquiriesDue, waitUntil } from '../deposit/qrcode/qr-fixtures.ts';
import { OWN_SCB_ACCOUNT, transferWithSlip } from '../deposit/slip/slip-fixtures.ts';
import { encryptGiftLink } from '../deposit/truelink/gift-link.ts';
import { apiClient } from '../harness/api-client.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { openSlipDeposits } from '../harness/operator.ts';
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts';
import { startSystem, type System } from '../harness/system.ts';
import { countReceived, insertOffer } from './bonus-fixtures.ts';
import {
  createQrWith,
  payerOf,
  payQrcode,
  readChosenBonus,
  readWallet,
  referenceOf,
  sendSlipWith,
} from './chosen-bonus.ts';

/** Advisory lock on which the database waits at the kill moment; any fixed number. */
const LOCK_KEY = 32_701;

type Moment = { moment: string; table: string; event: 'insert' | 'update'; when?: string };
const IN_CREDIT: Moment = { moment: 'as the bonus falls due', table: 'deposit_bonus', event: 'insert' };
/** Statements in which a server is killed, in the order of their execution. */
const MOMENTS: readonly Moment[] = [
  IN_CREDIT,
  { moment: 'as it claims the bonus', table: 'deposit_bonus', event: 'update', when: `new.state = 'DUE'` },
  { moment: 'as it decides about the bonus', table: 'bonus_receipt', event: 'insert' },
  { moment: 'as it credits the bonus', table: 'incentive_grant', event: 'insert' },
  { moment: 'as it stores the outcome', table: 'deposit_bonus', event: 'update', when: `new.state = 'RECEIVED'` },
];
/** How the statement of the dead server ends. */
const ENDS = ['rolled back', 'committed'] as const;

type Deposit = { reference: () => Promise<string>; pay: () => Promise<unknown> };
/** Starts a deposit of 300 baht with the bonus, by each method. */
const methods: Readonly<Record<string, (member: TestMember) => Promise<Deposit>>> = {
  'a QR code': async (member) => {
    const { body } = await createQrWith(server, member, 300, { bonus: code });
    return {
      reference: () => referenceOf(system, body.qrcodeId),
      pay: () => payQrcode(system, member, body.payload).then(() => makeInquiriesDue(system)),
    };
  },
  'an announced transfer': async (member) => {
    const { body } = await announceTransfer(server, member, { amount: 300, bankCode: 'SCB', bonus: code });
    const transfer = { from: payerOf(member), to: OWN_SCB_ACCOUNT, amount: '300.00' };
    return {
      reference: () => Promise.resolve(body.reference as string),
      pay: () => system.simulatorsApi('POST /bank/transfer', { body: transfer }),
    };
  },
  'a slip': async (member) => {
    const { image } = await transferWithSlip(system, member, { amount: '300.00' });
    let upload: Promise<string>;
    return {
      reference: () => upload,
      pay: () => (upload = sendSlipWith(server, member, image, code)),
    };
  },
  'a gift': async (member) => {
    const { body } = await system.simulatorsApi('POST /wallet-app/gift', { body: { amount: '300.00' } });
    const { api } = server;
    const link = encryptGiftLink(body.link);
    return {
      reference: async () => {
        const { rows } = await system.database.query<{ reference: string }>(
          'select reference from truelink_gift where member_id = $1',
          [member.id],
        );
        return rows[0]?.reference ?? '';
      },
      // Its reply is lost with the server.
      pay: () =>
        Promise.resolve(
          void api('POST /api/wallet/truelink', { token: member.token, body: { link, bonus: code } }).catch(
            () => 'lost',
          ),
        ),
    };
  },
};
const CASES = Object.keys(methods).flatMap((method) =>
  MOMENTS.filter((moment) => method === 'a QR code' || moment === IN_CREDIT).flatMap((moment) =>
    ENDS.map((end) => ({ method, end, ...moment })),
  ),
);

type RunningServer = ServerProcess & Pick<System, 'api'>;
let system: System;
let code: string;
let members: TestMember[];
let server: RunningServer;
let lockingClient: pg.Client;
before(async () => {
  system = await startSystem();
  await openSlipDeposits(system);
  code = await insertOffer(system);
  members = await Promise.all(CASES.map(() => registerMember(system)));
  await system.database.query(
    `create function hold_here() returns trigger language plpgsql as $$ begin
       perform pg_advisory_xact_lock_shared(${LOCK_KEY});
       return new;
     end $$`,
  );
  lockingClient = new pg.Client({ connectionString: system.databaseUrl });
  await lockingClient.connect();
  // From now on the servers are separate processes, which can be killed.
  await system.app.close();
  server = await startServer();
});
after(async () => {
  await lockingClient?.end();
  await server?.kill();
  await system?.stop();
});

async function startServer(): Promise<RunningServer> {
  const started = await startServerProcess(system);
  return { ...started, api: apiClient(started.url) };
}

/** Sessions that wait for LOCK_KEY. */
async function selectHeld(): Promise<number[]> {
  const { rows } = await system.database.query<{ pid: number }>(
    `select pid from pg_locks where locktype = 'advisory' and objid = $1 and not granted`,
    [LOCK_KEY],
  );
  return rows.map(({ pid }) => pid);
}

/** Makes the database wait in a statement, kills the server there, and lets the statement end. */
async function killServerIn(
  { table, event, when = 'true' }: Moment,
  end: (typeof ENDS)[number],
  begin: () => Promise<unknown>,
): Promise<void> {
  await lockingClient.query('select pg_advisory_lock($1)', [LOCK_KEY]);
  await system.database.query(
    `create trigger hold_here before ${event} on ${table} for each row when (${when}) execute function hold_here()`,
  );
  await begin();
  await waitUntil(selectHeld, (pids) => pids.length > 0, `${event} on ${table} that waits`);
  await server.kill();
  if (end === 'rolled back')
    await system.database.query('select pg_terminate_backend(pid) from unnest($1::int[]) pid', [await selectHeld()]);
  await lockingClient.query('select pg_advisory_unlock($1)', [LOCK_KEY]);
  await waitUntil(selectHeld, (pids) => pids.length === 0, 'no statement that waits');
  await system.database.query(`drop trigger hold_here on ${table}`);
}

/** Ends the leases of the dead server. */
async function endLeases(): Promise<void> {
  await makeInquiriesDue(system);
  for (const table of ['deposit_bonus', 'deposit_arrival', 'slip'])
    await system.database.query(`update ${table} set work_at = now() where work_at > now()`);
  await system.database.query(`update incentive_grant set leased_until = now() where state = 'OPEN'`);
  await system.database.query(
    `update truelink_gift set work_at = now(), redeemed_at = redeemed_at - interval '1 minute' where work_at is not null`,
  );
}

for (const [index, { method, end, ...moment }] of CASES.entries())
  test(`${method} with a bonus, whose server dies ${moment.moment} (${end}), receives the bonus once [R-BON-03] [R-WALLET-01]`, async () => {
    const member = members[index] as TestMember;
    const deposit = await methods[method]?.(member);
    assert.ok(deposit);
    await killServerIn(moment, end, deposit.pay);
    const reference = await deposit.reference();
    server = await startServer();
    const bonus = await waitUntil(
      async () => {
        await endLeases();
        return readChosenBonus(server, member, reference);
      },
      (chosen) => chosen !== null && chosen.state !== 'PENDING',
      'outcome of the chosen bonus',
    );
    assert.deepEqual([bonus?.state, bonus?.amount], ['RECEIVED', 300], JSON.stringify(bonus));
    assert.equal(await readWallet(server, member), 600);
    assert.equal(await countReceived(system, member.id), 1);
    assert.deepEqual(
      (await audit(system.database)).filter(({ violations }) => violations !== 0),
      [],
    );
  });
