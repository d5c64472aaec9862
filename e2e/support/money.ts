import { api, type Member } from './member.ts';
import { payQr } from './outside.ts';

const PATIENCE_MS = 30_000;

type Wallet = {
  wallet: { amount: number };
  slots: { code: string; amount: number; ftWalletSlot: number; isActive: boolean }[];
  /** The open withdrawal. */
  withdrawal: { reference: string; state: string } | null;
};

export async function walletOf(member: Member): Promise<Wallet> {
  return (await api<Wallet>('GET', '/api/wallet', { token: member.token })).body;
}

/** The bank account that a member pays from: their own. */
export const payerOf = (member: Member) => ({
  bankCode: 'SCB',
  accountNo: member.bankAccountNo,
  accountName: 'SOMYING THOTSOP',
});

/** Puts money into a wallet as members do: a QR, paid from their bank. @param amount baht */
export async function fund(member: Member, amount: number): Promise<void> {
  const before = (await walletOf(member)).wallet.amount;
  const { status, body } = await api<{ payload: string }>('POST', '/api/qrcode/KBANK', {
    token: member.token,
    body: { amount },
  });
  if (status !== 200) throw new Error(`no QR: ${status} ${JSON.stringify(body)}`);
  await payQr(body.payload, payerOf(member));
  const giveUp = Date.now() + PATIENCE_MS;
  while (Date.now() < giveUp) {
    if ((await walletOf(member)).wallet.amount > before) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${amount} baht didn't arrive within ${PATIENCE_MS} ms`);
}

/** Opens a game account. @returns its credentials */
export async function openGame(member: Member, code: string): Promise<{ username: string; password: string }> {
  const { status, body } = await api<{ username: string; password: string }>('GET', `/api/wallet/activate/${code}`, {
    token: member.token,
  });
  if (status !== 200) throw new Error(`no account at ${code}: ${status} ${JSON.stringify(body)}`);
  return body;
}

/** Moves money through the API. */
export async function transfer(member: Member, from: string, to: string, amount: number): Promise<void> {
  const { status, body } = await api('POST', '/api/wallet/transfer', {
    token: member.token,
    body: { from, to, amount },
  });
  if (status !== 200) throw new Error(`no transfer: ${status} ${JSON.stringify(body)}`);
}
