/** How long movements of a method take: the measured median, null with too few; and the stated time without one. */
export type UsualTime = { medianSeconds: number | null; statedMinutes: number };

/** Stated minutes until a deposit reaches the wallet and a withdrawal the bank account. */
export const STATED_MINUTES = { deposit: 1, withdraw: 15 } as const;

/** What a member pays for a deposit or a withdrawal, in any currency. Fees of gateways and banks are the operator's. */
export const MEMBER_FEE = 0;
