// `npm run lab -- bench uploads [MINUTES]`: how many honest uploads succeed while others keep slow ones open. Four members hold two
// connections each at 1.3 kB/s, three visitors two each at 8 kB/s in all, and begin again whenever they are cut off. Beside
// them members send slips and chat pictures at the speed of a mobile network. Ends by itself.
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { loadavg } from 'node:os';
import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { monotonicMs } from '@krapao/server/src/platform/time.ts';
import { appUrl, type Member, newAddress, newMember } from '../../e2e/support/member.ts';
import startSystem from '../../e2e/support/start-system.ts';

const MINUTES = Number(process.argv[2] ?? 30);
const CHEATS = 4;
const VISITORS = 3;
/** Connections of each attacker. */
const EACH = 2;
const MEMBER_BYTES_PER_SECOND = 1_300;
const VISITOR_BYTES_PER_SECOND = 8_000 / (VISITORS * EACH);
/** Enough members that none reaches the limit of concurrent slips. */
const HONEST = 30;
const HONEST_BYTES_PER_SECOND = 100_000;
/** A slip and a chat picture are sent this often. */
const HONEST_EVERY_MS = 5_000;
const PIECES_PER_SECOND = 4;
const ATTACK_BYTES = 9_000_000;
/** An attacker who is cut off comes back after this long. */
const AGAIN_MS = 1_000;

const SLIP = '/api/wallet/slip';
const CHAT = '/api/chat/upload-image';
const PICTURE = readFileSync(new URL('../../docs/images/krapao.png', import.meta.url));
const HEAD = Buffer.from('--b\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\n\r\n');
const TAIL = Buffer.from('\r\n--b--\r\n');

type Sender = { authorization: string; address: string };
type Ended = { status: number; detail: string; ms: number };
type Tally = { sent: number; taken: number; took: number[]; refused: Map<string, number> };

/** Sends a form at this speed. @returns what was answered; status 0: nothing */
function send(path: string, sender: Sender, form: Buffer, length: number, bytesPerSecond: number): Promise<Ended> {
  const { hostname, port } = new URL(appUrl());
  const from = monotonicMs();
  const socket: Socket = connect(Number(port), hostname);
  let answer = '';
  let at = 0;
  const piece = Math.ceil(bytesPerSecond / PIECES_PER_SECOND);
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: x\r\nx-requested-with: XMLHttpRequest\r\nauthorization: ${sender.authorization}\r\n` +
      `x-forwarded-for: ${sender.address}\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: ${length}\r\n` +
      `connection: close\r\n\r\n`,
  );
  const timer = setInterval(() => {
    // An attacker goes on with zeros once the picture is out.
    const next = form.subarray(at, at + piece);
    at += next.length;
    if (socket.writable && (next.length > 0 || length > form.length)) {
      socket.write(next.length > 0 ? next : Buffer.alloc(piece));
    }
  }, 1_000 / PIECES_PER_SECOND);
  socket.on('data', (bytes) => (answer += bytes.toString()));
  socket.on('error', () => {});
  return new Promise((resolve) => {
    socket.once('close', () => {
      clearInterval(timer);
      const detail = /"detail":"(\w+)"/.exec(answer)?.[1] ?? /"message":"(\w+)"/.exec(answer)?.[1] ?? 'NO_ANSWER';
      resolve({ status: Number(answer.slice(9, 12)), detail, ms: monotonicMs() - from });
    });
  });
}

const newTally = (): Tally => ({ sent: 0, taken: 0, took: [], refused: new Map() });

function count(tally: Tally, { status, detail, ms }: Ended): void {
  tally.sent += 1;
  if (status === 200) {
    tally.taken += 1;
    tally.took.push(ms);
  } else tally.refused.set(detail, (tally.refused.get(detail) ?? 0) + 1);
}

/** One connection of an attacker, for as long as the measurement lasts. */
async function attack(path: string, sender: Sender, bytesPerSecond: number, endMs: number, tally: Tally) {
  while (monotonicMs() < endMs) {
    const ended = send(path, sender, Buffer.concat([HEAD, PICTURE]), ATTACK_BYTES, bytesPerSecond);
    count(tally, await Promise.race([ended, wait(endMs - monotonicMs(), { status: 0, detail: 'STILL_OPEN', ms: 0 })]));
    await wait(AGAIN_MS);
  }
}

async function honest(path: string, senders: Sender[], endMs: number, tally: Tally): Promise<void> {
  const form = Buffer.concat([HEAD, PICTURE, TAIL]);
  const under: Promise<void>[] = [];
  for (let turn = 0; monotonicMs() < endMs; turn += 1) {
    const sender = senders[turn % senders.length] as Sender;
    under.push(send(path, sender, form, form.length, HONEST_BYTES_PER_SECOND).then((ended) => count(tally, ended)));
    await wait(HONEST_EVERY_MS);
  }
  await Promise.all(under);
}

const asMember = ({ token }: Member): Sender => ({ authorization: `Bearer ${token}`, address: newAddress() });

async function newVisitor(): Promise<Sender> {
  const guestId = randomBytes(16).toString('hex');
  const reply = await fetch(`${appUrl()}/api/chat/config`, {
    headers: { 'x-requested-with': 'XMLHttpRequest', authorization: `Guest ${guestId}` },
  });
  const { guestSecret } = (await reply.json()) as { guestSecret: string };
  return { authorization: `Guest ${guestId}.${guestSecret}`, address: newAddress() };
}

function print(what: string, { sent, taken, took, refused }: Tally): void {
  const sorted = took.toSorted((a, b) => a - b);
  const p95 = sorted[Math.floor((sorted.length - 1) * 0.95)];
  const why = [...refused].map(([detail, times]) => `${detail} ${times}`).join(', ');
  const share = sent === 0 ? '' : ` (${((100 * taken) / sent).toFixed(1)} %)`;
  const slowest = p95 === undefined ? '' : `, p95 ${(p95 / 1_000).toFixed(1)} s`;
  process.stdout.write(
    `${what.padEnd(24)}${taken} of ${sent} taken${share}${slowest}${why === '' ? '' : `; ${why}`}\n`,
  );
}

const repeated = <T>(times: number, one: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: times }, one));

const stop = await startSystem();
try {
  const cheats = (await repeated(CHEATS, () => newMember())).map(asMember);
  const senders = (await repeated(HONEST, () => newMember())).map(asMember);
  const visitors = await repeated(VISITORS, newVisitor);
  process.stdout.write(`${MINUTES} minutes, load of this machine ${(loadavg()[0] ?? 0).toFixed(1)}\n`);
  const endMs = monotonicMs() + MINUTES * 60_000;
  const [slips, pictures, slowMembers, slowVisitors] = [newTally(), newTally(), newTally(), newTally()];
  // They end with this program, not with the honest uploads that it waits for.
  for (let one = 0; one < EACH; one += 1) {
    for (const cheat of cheats) void attack(SLIP, cheat, MEMBER_BYTES_PER_SECOND, endMs, slowMembers);
    for (const visitor of visitors) void attack(CHAT, visitor, VISITOR_BYTES_PER_SECOND, endMs, slowVisitors);
  }
  await wait(AGAIN_MS);
  await Promise.all([honest(SLIP, senders, endMs, slips), honest(CHAT, senders, endMs, pictures)]);
  print('honest slips', slips);
  print('honest chat pictures', pictures);
  print('slow members', slowMembers);
  print('slow visitors', slowVisitors);
} finally {
  await stop();
}
process.exit();
