import { useState, type ComponentType } from 'react';
import { loadNamespaces } from '../../i18n/i18n.ts';
import type { CodeStepProps } from '../../shared/code-step.tsx';
import type { SentCode } from '../../shared/sent-code.ts';

type Proof = { phone: string; sentCode: SentCode; CodeStep: ComponentType<CodeStepProps> };

/**
 * Proves the member's phone, after which wrong logins of others on the same network no longer count for it. Loaded when
 * it is needed.
 * @param onProved called when the phone is verified
 * @param onFailure called with what prevents the sending of a code
 */
export function usePhoneProof(onProved: () => Promise<void>, onFailure: (failure: unknown) => void) {
  const [proof, setProof] = useState<Proof>();
  const [isShown, setShown] = useState(false);
  const [isSending, setSending] = useState(false);

  async function send(phone: string): Promise<void> {
    const [{ CodeStep }, { sendOrReuseCode }] = await Promise.all([
      import('../../shared/code-step.tsx'),
      import('../../shared/sent-code.ts'),
      loadNamespaces(['register']),
    ]);
    const sentCode = await sendOrReuseCode(phone, proof?.phone === phone ? proof.sentCode : undefined);
    if (!sentCode) return onProved();
    setProof({ phone, sentCode, CodeStep });
    setShown(true);
  }

  /** Sends a code and shows its field. */
  async function start(phone: string): Promise<void> {
    setSending(true);
    await send(phone).catch(onFailure);
    setSending(false);
  }

  const close = (): void => setShown(false);
  const step = isShown && proof && (
    <proof.CodeStep
      phone={proof.phone}
      sentCode={proof.sentCode}
      onSent={(sentCode) => setProof({ ...proof, sentCode })}
      onDone={async () => {
        close();
        await onProved();
      }}
      onBack={close}
    />
  );
  return { start, isSending, step };
}
