import { sleep } from '../../../platform/clock.ts';
import type { QrcodeDeps } from './qrcode-deps.ts';
import { isLive, type Qrcode } from './qrcode.ts';
import { claimAsking, findQrcode } from './queries.ts';
import { settleQrcode } from './settle-qrcode.ts';

/** However often a member asks to see a code, its gateway is asked at most this often, by all nodes together. */
const ASKED_EVERY_MS = 2_000;
/** The member waits no longer than this; a later answer is still acted on. */
const PATIENCE_MS = 2_500;

/** Inquiries of this process that are under way, by the code's id: requests that come together wait for one. */
const underWay = new Map<string, Promise<void>>();

/**
 * Asks the gateway about a live code before it is shown again: it may be paid, and its callback late or lost, and then it
 * must not be paid twice. Changes nothing when the gateway is silent: the code stays as it is known.
 * @returns the code as it is known afterwards
 */
export async function askAnew(deps: QrcodeDeps, code: Qrcode): Promise<Qrcode> {
  if (!isLive(code)) return code;
  const waiting = new AbortController();
  await Promise.race([underWay.get(code.id) ?? ask(deps, code), sleep(PATIENCE_MS, waiting.signal)]);
  waiting.abort();
  return (await findQrcode(deps.database, code.id)) ?? code;
}

function ask(deps: QrcodeDeps, code: Qrcode): Promise<void> {
  const asking = askOnce(deps, code)
    .catch((error: unknown) =>
      deps.log.warn({ err: error, reference: code.reference }, 'a QR could not be asked about'),
    )
    .finally(() => underWay.delete(code.id));
  underWay.set(code.id, asking);
  return asking;
}

async function askOnce(deps: QrcodeDeps, code: Qrcode): Promise<void> {
  if (await claimAsking(deps.database, code.id, ASKED_EVERY_MS)) await settleQrcode(deps, code);
}
