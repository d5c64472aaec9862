import { call } from '../../api/call.ts';
import { failureText } from '../../api/error-text.ts';
import { isUndecided, wasNotSent } from '../../api/errors.ts';
import { apiQuery, invalidate, queryClient } from '../../api/query/query.ts';
import { launchesKey } from '../../api/session.ts';
import { formatAmount } from '../../format/number.ts';
import { i18n, loadNamespaces } from '../../i18n/i18n.ts';
import { forgetLaunch, type Launch, parseLaunches, storedLaunch, updateLaunch } from '../../member/launches.ts';
import { settingsQuery } from '../../member/settings.ts';
import { type GameAccount, type Wallet, WALLET } from '../../member/wallet.ts';
import { memberMoneyText } from '../../shared/balance-display.tsx';
import { markAnnounced } from '../../shared/open-items.ts';
import { toast } from '../../ui/core/toast.tsx';

/**
 * What is done with the money of a game after a return. `bets`, `pending`, `unknown`: it stays, because of open bets, a
 * pending transfer, or an unknown balance.
 */
type ReturnPlan = 'bring' | 'nothing' | 'bets' | 'pending' | 'unknown';

type ReturnFacts = Pick<
  GameAccount,
  'isActive' | 'inProgress' | 'isStale' | 'inMaintenance' | 'outstanding' | 'amount' | 'canMoveOut'
>;

function planReturn(game: ReturnFacts | undefined): ReturnPlan {
  if (!game?.isActive) return 'nothing';
  if (game.inProgress !== null) return 'pending';
  if (game.isStale || game.inMaintenance) return 'unknown';
  if (game.outstanding > 0) return 'bets';
  if (game.amount <= 0) return 'nothing';
  return game.canMoveOut ? 'bring' : 'unknown';
}

let running = Promise.resolve();

/** Runs the callbacks of all tabs one after another, if the browser has the Locks API (not on plain HTTP). */
const runInTurn = (callback: () => Promise<void>): Promise<void> =>
  navigator.locks ? navigator.locks.request(launchesKey(), callback) : callback();

/**
 * Moves the money of opened games to the wallet, each at most once per launch. A second call runs after the first. A
 * game that was opened again, or got money since, is left alone.
 * @param stored the launches at the time of the return
 */
export function bringLaunchesHome(stored: string): Promise<void> {
  const run = running.then(() => runInTurn(() => bringAll(parseLaunches(stored))));
  running = run.catch(() => undefined);
  return run;
}

async function bringAll(launches: readonly Launch[]): Promise<void> {
  if (!launches.some(storedLaunch)) return;
  await loadNamespaces(['game', 'errors']);
  const { bringsMoneyHome } = await queryClient.query({ ...settingsQuery, staleTime: 0 });
  if (!bringsMoneyHome) {
    for (const launch of launches) if (storedLaunch(launch)) forgetLaunch(launch.code);
    return;
  }
  const wallet = await queryClient.query({ ...apiQuery('GET /api/wallet', { quiet: true }), staleTime: 0 });
  for (const { key, amount } of launches) {
    const launch = storedLaunch({ key });
    // Another tab that has sent it since the return also shows its outcome.
    if (launch && launch.amount === amount) await bringHome(launch, wallet);
  }
  // The balances, and dialogs that offer what is still in a game.
  await invalidate('wallet', 'statement', 'pending');
}

async function bringHome(launch: Launch, { slots, profile: { currency } }: Wallet): Promise<void> {
  const game = slots.find(({ code }) => code === launch.code);
  // An earlier attempt without a reply is repeated unchanged: its key moves the money at most once.
  const plan = launch.amount === undefined ? planReturn(game) : 'bring';
  const amount = launch.amount ?? game?.amount ?? 0;
  const amountText = memberMoneyText(formatAmount(amount, { currency, withSign: true }));
  const values = { name: game?.name ?? launch.code, amount: amountText };
  if (plan !== 'bring') {
    forgetLaunch(launch.code);
    if (plan !== 'nothing') toast.info(i18n.t(`game:home.${plan}`, values));
    return;
  }
  updateLaunch({ ...launch, amount });
  try {
    const { status, reference } = await call('POST /api/wallet/transfer', {
      body: { from: launch.code, to: WALLET, amount },
      idempotencyKey: launch.key,
      quiet: true,
    });
    forgetSettled(launch);
    if (status === 'DONE') {
      // The strip may have listed it on the return.
      markAnnounced(reference);
      toast.success(i18n.t('game:broughtHome', values));
    } else toast.info(i18n.t('game:home.onItsWay', values));
  } catch (failure) {
    const isFirst = launch.amount === undefined;
    if (isUndecided(failure) || (!isFirst && wasNotSent(failure)))
      return toast.info(i18n.t('game:home.undecided', values));
    // Without a connection nothing was sent: the next return tries again.
    if (!wasNotSent(failure)) forgetSettled(launch);
    else if (storedLaunch(launch)) updateLaunch(launch);
    toast.danger(`${i18n.t('game:home.refused', values)}\n${failureText(failure)}`);
  }
}

/** Forgets a launch whose transfer has an outcome. A later launch of the game stays. */
function forgetSettled(launch: Launch): void {
  if (storedLaunch(launch)) forgetLaunch(launch.code);
}
