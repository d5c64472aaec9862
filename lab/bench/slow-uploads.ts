// `npm run lab -- bench uploads [MINUTES]`: share of honest uploads that succeed during slow ones. Four members hold
// two connections each at 1.3 kB/s, three visitors two each at 8 kB/s in total, and reconnect after a disconnect.
// Honest members upload slips and chat images at the speed of a mobile network.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { loadavg } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { monotonicMs } from '@krapao/server/src/platform/time.ts';
import { appUrl, type Member, newAddress, newMember } from '../../e2e/support/member.ts';
import startSystem from '../../e2e/support/start-system.ts';

const MINUTES = Number(process.argv[2] ?? 30);
const ATTACKER_COUNT = 4;
const VISITOR_COUNT = 3;
/** Connections of each attacker. */
const CONNECTIONS_EACH = 2;
const MEMBER_BYTES_PER_SECOND = 1_300;
const VISITOR_BYTES_PER_SECOND = 8_000 / (VISITOR_COUNT * CONNECTIONS_EACH);
/** Enough members that none reaches the limit of concurrent slips. */
const HONEST_MEMBERS = 30;
const HONEST_BYTES_PER_SECOND = 100_000;
/** Interval of one slip and one chat image. */
const HONEST_EVERY_MS = 5_000;
const CHUNKS_PER_SECOND = 4;
const ATTACK_BYTES = 9_000_000;
/** Delay before an attacker reconnects. */
const RECONNECT_MS = 1_000;

const SLIP_PATH = '/api/wallet/slip';
const CHAT_PATH = '/api/chat/upload-image';
const IMAGE_BYTES = readFileSync(new URL('../../docs/images/krapao.png', import.meta.url));
const FORM_HEAD = Buffer.from('--b\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\n\r\n');
const FORM_TAIL = Buffer.from('\r\n--b--\r\n');

type UploadSender = { authorization: string; address: string };
type UploadResult = { status: number; detail: string; ms: number };
type UploadTally = { sent: number; accepted: number; durationsMs: number[]; refused: Map<string, number> };

/** Sends a form at this rate. @returns the reply; status 0: no reply */
function sendForm(
  path: string,
  sender: UploadSender,
  form: Buffer,
  length: number,
  bytesPerSecond: number,
): Promise<UploadResult> {
  const { hostname, port } = new URL(appUrl());
  const startedMs = monotonicMs();
  const socket: Socket = connect(Number(port), hostname);
  let reply = '';
  let sentBytes = 0;
  const chunk = Math.ceil(bytesPerSecond / CHUNKS_PER_SECOND);
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: x\r\nx-requested-with: XMLHttpRequest\r\nauthorization: ${sender.authorization}\r\n` +
      `x-forwarded-for: ${sender.address}\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: ${length}\r\n` +
      `connection: close\r\n\r\n`,
  );
  const timer = setInterval(() => {
    // An attacker sends zeros after the image.
    const nextChunk = form.subarray(sentBytes, sentBytes + chunk);
    sentBytes += nextChunk.length;
    if (socket.writable && (nextChunk.length > 0 || length > form.length)) {
      socket.write(nextChunk.length > 0 ? nextChunk : Buffer.alloc(chunk));
    }
  }, 1_000 / CHUNKS_PER_SECOND);
  socket.on('data', (bytes) => (reply += bytes.toString()));
  socket.on('error', () => {});
  return new Promise((resolve) => {
    socket.once('close', () => {
      clearInterval(timer);
      const detail = /"detail":"(\w+)"/.exec(reply)?.[1] ?? /"message":"(\w+)"/.exec(reply)?.[1] ?? 'NO_REPLY';
      resolve({ status: Number(reply.slice(9, 12)), detail, ms: monotonicMs() - startedMs });
    });
  });
}

const newTally = (): UploadTally => ({ sent: 0, accepted: 0, durationsMs: [], refused: new Map() });

function countResult(tally: UploadTally, { status, detail, ms }: UploadResult): void {
  tally.sent += 1;
  if (status === 200) {
    tally.accepted += 1;
    tally.durationsMs.push(ms);
  } else tally.refused.set(detail, (tally.refused.get(detail) ?? 0) + 1);
}

/** Runs one connection of an attacker until the end of the measurement. */
async function attack(path: string, sender: UploadSender, bytesPerSecond: number, endMs: number, tally: UploadTally) {
  while (monotonicMs() < endMs) {
    const result = sendForm(path, sender, Buffer.concat([FORM_HEAD, IMAGE_BYTES]), ATTACK_BYTES, bytesPerSecond);
    countResult(
      tally,
      await Promise.race([result, wait(endMs - monotonicMs(), { status: 0, detail: 'STILL_OPEN', ms: 0 })]),
    );
    await wait(RECONNECT_MS);
  }
}

async function uploadHonestly(path: string, senders: UploadSender[], endMs: number, tally: UploadTally): Promise<void> {
  const form = Buffer.concat([FORM_HEAD, IMAGE_BYTES, FORM_TAIL]);
  const uploads: Promise<void>[] = [];
  for (let turn = 0; monotonicMs() < endMs; turn += 1) {
    const sender = senders[turn % senders.length] as UploadSender;
    uploads.push(
      sendForm(path, sender, form, form.length, HONEST_BYTES_PER_SECOND).then((result) => countResult(tally, result)),
    );
    await wait(HONEST_EVERY_MS);
  }
  await Promise.all(uploads);
}

const asMember = ({ token }: Member): UploadSender => ({ authorization: `Bearer ${token}`, address: newAddress() });

async function newVisitor(): Promise<UploadSender> {
  const guestId = randomBytes(16).toString('hex');
  const response = await fetch(`${appUrl()}/api/chat/config`, {
    headers: { 'x-requested-with': 'XMLHttpRequest', authorization: `Guest ${guestId}` },
  });
  const { guestSecret } = (await response.json()) as { guestSecret: string };
  return { authorization: `Guest ${guestId}.${guestSecret}`, address: newAddress() };
}

function printTally(label: string, { sent, accepted, durationsMs, refused }: UploadTally): void {
  const sortedDurations = durationsMs.toSorted((a, b) => a - b);
  const p95 = sortedDurations[Math.floor((sortedDurations.length - 1) * 0.95)];
  const reasons = [...refused].map(([detail, times]) => `${detail} ${times}`).join(', ');
  const acceptedShare = sent === 0 ? '' : ` (${((100 * accepted) / sent).toFixed(1)} %)`;
  const slowestText = p95 === undefined ? '' : `, p95 ${(p95 / 1_000).toFixed(1)} s`;
  process.stdout.write(
    `${label.padEnd(24)}${accepted} of ${sent} accepted${acceptedShare}${slowestText}${reasons === '' ? '' : `; ${reasons}`}\n`,
  );
}

const createMany = <T>(times: number, create: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: times }, create));

const stop = await startSystem();
try {
  const attackers = (await createMany(ATTACKER_COUNT, () => newMember())).map(asMember);
  const honestSenders = (await createMany(HONEST_MEMBERS, () => newMember())).map(asMember);
  const visitors = await createMany(VISITOR_COUNT, newVisitor);
  process.stdout.write(`${MINUTES} minutes, load of this machine ${(loadavg()[0] ?? 0).toFixed(1)}\n`);
  const endMs = monotonicMs() + MINUTES * 60_000;
  const [slips, images, slowMembers, slowVisitors] = [newTally(), newTally(), newTally(), newTally()];
  // Not awaited: attacks end with this process.
  for (let connection = 0; connection < CONNECTIONS_EACH; connection += 1) {
    for (const attacker of attackers) void attack(SLIP_PATH, attacker, MEMBER_BYTES_PER_SECOND, endMs, slowMembers);
    for (const visitor of visitors) void attack(CHAT_PATH, visitor, VISITOR_BYTES_PER_SECOND, endMs, slowVisitors);
  }
  await wait(RECONNECT_MS);
  await Promise.all([
    uploadHonestly(SLIP_PATH, honestSenders, endMs, slips),
    uploadHonestly(CHAT_PATH, honestSenders, endMs, images),
  ]);
  printTally('honest slips', slips);
  printTally('honest chat images', images);
  printTally('slow members', slowMembers);
  printTally('slow visitors', slowVisitors);
} finally {
  await stop();
}
process.exit();
