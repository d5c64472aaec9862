/**
 * What operators can stop immediately. Late money is always credited, and inquiries continue. A family has one switch
 * for each of its subjects, named FAMILY:SUBJECT.
 */
export const switches = {
  site: 'All pages and calls of members',
  register: 'New members',
  'otp.strangers': 'One-time codes for phones, networks and devices that have verified none',
  'deposit.qrcode:': 'New QR codes of a gateway',
  'deposit.bank-transfer': 'All bank accounts of the deposit page',
  'deposit.bank-transfer:': 'Bank accounts of one bank in the deposit page',
  'deposit.wallet-app': 'The wallet app in the deposit page',
  'deposit.slip': 'New slips',
  'deposit.truelink': 'New gift links',
  'game:': 'Opening, launching and transferring: the game is in maintenance',
  'provider:': 'The same for all games of a provider',
  'lobby:': 'Offering a game: only members with money or open bets see it',
  'withdraw.request': 'New withdrawals',
  'withdrawals.send': 'Sending of accepted withdrawals; their money stays held',
  refund: 'New refunds',
  invite: 'New invite rewards',
  spinwheel: 'Spins',
  chat: 'The chat button',
} as const;

type Key = keyof typeof switches;
/** The name of a switch: `site`, or `game:pg` in a family. */
export type SwitchName = Key extends infer Name extends Key
  ? Name extends `${infer Family}:`
    ? `${Family}:${string}`
    : Name
  : never;

/** Settings whose value changes while a switch is stopped. */
const STOPPED_SETTINGS: Readonly<Record<string, { name: string; stop: (value: unknown) => unknown }>> = {
  site: { name: 'status', stop: () => ({ terminated: 'gone' }) },
  chat: { name: 'enableChatWidget', stop: () => false },
  'deposit.slip': { name: 'isManual', stop: () => false },
  refund: { name: 'refund', stop: inactive },
  invite: { name: 'invite', stop: inactive },
  spinwheel: { name: 'spinwheel', stop: inactive },
};

function inactive(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? { ...value, isActive: false } : value;
}

/** The values of settings as they hold while switches are stopped. */
export function stopSettings(
  values: ReadonlyMap<string, unknown>,
  isStopped: (name: SwitchName) => boolean,
): ReadonlyMap<string, unknown> {
  const effective = new Map(values);
  for (const [switchName, setting] of Object.entries(STOPPED_SETTINGS)) {
    if (isStopped(switchName as SwitchName)) effective.set(setting.name, setting.stop(values.get(setting.name)));
  }
  return effective;
}

/** Existing subjects of the families, by key. */
export type SwitchSubjects = Readonly<Partial<Record<Key, readonly string[]>>>;

/** All switches that exist, with what they stop. */
export const switchNames = (subjects: SwitchSubjects): { name: SwitchName; stops: string }[] =>
  Object.entries(switches).flatMap(([key, stops]) => {
    if (!key.endsWith(':')) return [{ name: key as SwitchName, stops }];
    return (subjects[key as Key] ?? []).map((subject) => ({ name: `${key}${subject}` as SwitchName, stops }));
  });
