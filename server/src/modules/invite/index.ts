import type { Variant } from '@krapao/contract/rules';
import type { FastifyInstance } from 'fastify';
import type { SnapshotField } from '../../platform/database/batched-reads.ts';
import type { AccountModule } from '../account/index.ts';
import { inviteRoutes } from './http.ts';
import type { InviteDeps } from './invite.ts';
import { turnoverUpdater } from './invitee-turnover.ts';
import { findInviter, linkInviter } from './link-inviter.ts';
import { type InviteEarnings, earningsField } from './receive-invite-bonus.ts';

export { inviteBlock, setInviteBlock } from './admin.ts';

export type InviteModule = {
  /** Invite earnings as shown by the wallet. */
  earningsField: SnapshotField<() => Promise<InviteEarnings>>;
  /** Stops updating turnover. Call before closing the database. */
  stop(): Promise<void>;
};

export type InviteModuleDeps = InviteDeps & {
  app: FastifyInstance;
  variant: Variant;
  account: Pick<AccountModule, 'extendRegistration'>;
};

export { configSubjects } from './config-subjects.ts';

/** Creates the invite module: it links invitees to inviters, and pays inviters for their invitees' play. */
export function inviteModule({ app, variant, ...deps }: InviteModuleDeps): InviteModule {
  const { account, database } = deps;
  account.extendRegistration({
    onRegistered: linkInviter,
    isInviteCode: async (code) => (await findInviter(database, code)) !== undefined,
  });
  const turnoverUpdates = turnoverUpdater(deps);
  inviteRoutes(app, deps, variant);
  return {
    earningsField: earningsField(deps, (inviterId) => turnoverUpdates.scheduleUpdate(inviterId)),
    stop: () => turnoverUpdates.stop(),
  };
}
