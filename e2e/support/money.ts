import { api, type Member } from './member.ts';
import { payQr } from './simulators.ts';

const PATIENCE_MS = 30_000;

type WalletReply = {
  wallet: { amount: number };
  slots: { code: string; amount: number; ftWalletSlot: number; isActive: boolean }[];
  /** The open withdrawal. */
  withdrawal: { reference: string; state: string } | null;
};

export async function readWallet(member: Member): Promise<WalletReply> {
  return (await api<WalletReply>('GET', '/api/wallet', { token: member.token })).body;
}

/** The member's own bank account, as payer. */
export const memberAsPayer = (member: Member) => ({
  bankCode: 'SCB',
  accountNo: member.bankAccountNo,
  accountName: 'SOMYING THOTSOP',
});

/** Deposits money like a member: a QR, paid from the member's bank. @param amount baht */
export async function fundWallet(member: Member, amount: number): Promise<void> {
  const before = (await readWallet(member)).wallet.amount;
  const { status, body } = await api<{ payload: string }>('POST', '/api/qrcode/KBANK', {
    token: member.token,
    body: { amount },
  });
  if (status !== 200) throw new Error(`no QR: ${status} ${JSON.stringify(body)}`);
  await payQr(body.payload, memberAsPayer(member));
  const deadlineMs = Date.now() + PATIENCE_MS;
  while (Date.now() < deadlineMs) {
    if ((await readWallet(member)).wallet.amount > before) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${amount} baht didn't arrive within ${PATIENCE_MS} ms`);
}

/** Opens a game account. @returns its credentials */
export async function openGameAccount(member: Member, code: string): Promise<{ username: string; password: string }> {
  const { status, body } = await api<{ username: string; password: string }>('GET', `/api/wallet/activate/${code}`, {
    token: member.token,
  });
  if (status !== 200) throw new Error(`no account at ${code}: ${status} ${JSON.stringify(body)}`);
  return body;
}

/** Moves money through the API. */
export async function transferMoney(member: Member, from: string, to: string, amount: number): Promise<void> {
  const { status, body } = await api('POST', '/api/wallet/transfer', {
    token: member.token,
    body: { from, to, amount },
  });
  if (status !== 200) throw new Error(`no transfer: ${status} ${JSON.stringify(body)}`);
}
