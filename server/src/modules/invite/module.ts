import type { Variant } from '@krapao/contract/rules';
import type { FastifyInstance } from 'fastify';
import type { SnapshotPart } from '../../platform/database/member-snapshot.ts';
import type { AccountModule } from '../account/module.ts';
import { playCounter } from './counter.ts';
import type { InviteDeps } from './invite-deps.ts';
import { type Earnings, earnings } from './read-earnings.ts';
import { findInviter, linkInviter } from './link-inviter.ts';
import { inviteRoutes } from './routes.ts';

export type InviteModule = {
  /** What the wallet shows of invite money. */
  earnings: SnapshotPart<() => Promise<Earnings>>;
  /** Ends what is being counted; before the database closes. */
  stop(): Promise<void>;
};

export type InviteModuleDeps = InviteDeps & {
  app: FastifyInstance;
  variant: Variant;
  account: Pick<AccountModule, 'extendRegistration'>;
};

/** Who invited whom, and what the invitees' play earns those who invited them. */
export function inviteModule({ app, variant, ...deps }: InviteModuleDeps): InviteModule {
  const { account, database } = deps;
  account.extendRegistration({
    entered: linkInviter,
    isInviteCode: async (code) => (await findInviter(database, code)) !== undefined,
  });
  const counter = playCounter(deps);
  inviteRoutes(app, deps, variant);
  return {
    earnings: earnings(deps, (inviterId) => counter.soon(inviterId)),
    stop: () => counter.stop(),
  };
}
