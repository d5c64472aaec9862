import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MEMBERS } from './transfers.ts';

// The hand-written double entry with negligible round trips: pgbench is a C program on the same socket. Keys are random, like
// natural keys.
const TRANSFER_SCRIPT = `
\\set member random(0, ${MEMBERS - 1})
\\set house random(${MEMBERS}, ${2 * MEMBERS - 1})
\\set high random(1, 2000000000)
\\set low random(1, 2000000000)
begin;
insert into plain.transfer (key, debit, credit, amount, kind, reference)
  values (:high || ':' || :low, :member, :house, 1, 'play', 'T' || :low) returning id \\gset
select id from plain.account where id in (:member, :house) order by id for no key update;
update plain.account set balance = balance - 1 where id = :member returning balance as debit_balance \\gset
insert into plain.entry (account_id, transfer_id, amount, balance) values (:member, :id, -1, :debit_balance);
update plain.account set balance = balance + 1 where id = :house returning balance as credit_balance \\gset
insert into plain.entry (account_id, transfer_id, amount, balance) values (:house, :id, 1, :credit_balance);
commit;
`;

export const hasPgbench = (): boolean => spawnSync('pgbench', ['--version'], { stdio: 'ignore' }).status === 0;

/** Transfers per second of pgbench with prepared statements. */
export async function pgbench(url: string, inFlight: number, seconds: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'krapao-pgbench-'));
  try {
    const scriptPath = join(folder, 'transfer.sql');
    writeFileSync(scriptPath, TRANSFER_SCRIPT);
    const options = [
      '-n',
      '-M',
      'prepared',
      '-c',
      String(inFlight),
      '-j',
      '2',
      '-T',
      String(seconds),
      '-f',
      scriptPath,
    ];
    const child = spawn('pgbench', [...options, url], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (text: Buffer) => (output += String(text)));
    child.stderr.on('data', (text: Buffer) => (output += String(text)));
    await new Promise((resolve) => child.on('close', resolve));
    const match = /tps = ([\d.]+)/.exec(output);
    if (!match) throw new Error(`pgbench failed: ${output.slice(-500)}`);
    return Number(match[1]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
