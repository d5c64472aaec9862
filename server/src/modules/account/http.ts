import * as endpoints from '@krapao/contract/endpoints/account';
import type { Variant } from '@krapao/contract/rules';
import type { FastifyInstance } from 'fastify';
import type { SessionTokens } from '../../platform/crypto/session-tokens.ts';
import type { Database } from '../../platform/database/database.ts';
import { callerAddress } from '../../platform/http/caller-address.ts';
import { namedLanguage } from '../../platform/http/caller.ts';
import type { RateLimits } from '../../platform/http/rate-limit.ts';
import { route } from '../../platform/http/route.ts';
import type { Clock } from '../../platform/time.ts';
import { deleteSessionSubscription } from '../notification/index.ts';
import type { OperatorData } from '../operator-data/index.ts';
import type { OtpModule } from '../otp/index.ts';
import { changeBankAccountName, changeProfile, toWireProfile, readProfile } from './profile.ts';
import { endSession, saveSettings, selectSettings } from './queries.ts';
import { checkRegistration, registerAccount, type OnRegistered } from './register.ts';
import { sessionTokenHash, changePassword, logIn } from './sessions.ts';

export type AccountDeps = {
  app: FastifyInstance;
  database: Database;
  clock: Clock;
  rateLimits: RateLimits;
  otp: OtpModule;
  tokens: SessionTokens;
  variant: Variant;
  readOperatorData: () => Promise<OperatorData>;
  /** Whether the member's money has ever moved. */
  hasMoneyMoved: (memberId: string) => Promise<boolean>;
  onRegistered: OnRegistered;
  /** Whether the code is the invite code of a member. */
  isInviteCodeKnown: (code: string) => Promise<boolean>;
};

/** Serves registration, sessions and the member's profile. */
export function accountRoutes(deps: AccountDeps): void {
  registrationRoutes(deps);
  sessionRoutes(deps);
  profileRoutes(deps);
  settingsRoutes(deps);
}

function registrationRoutes(deps: AccountDeps): void {
  const { app, readOperatorData } = deps;
  route(app, endpoints.validateAccount, async ({ body, request }) => {
    await checkRegistration(deps, await readOperatorData(), body, {
      caller: callerAddress(request),
      requiresBankAccount: false,
    });
    const inviter = await inviterStatus(deps, body.inviteCode);
    return { status: 200, body: { message: 'OK', inviter } };
  });
  route(app, endpoints.createAccount, async ({ body, request }) => {
    const onError = (error: unknown): void => request.log.error({ err: error }, 'new member not stored');
    const member = await registerAccount({ ...deps, onError }, await readOperatorData(), body, callerAddress(request));
    return { status: 200, body: { profile: toWireProfile(member) } };
  });
}

async function inviterStatus({ isInviteCodeKnown }: AccountDeps, code: string): Promise<'none' | 'known' | 'unknown'> {
  if (code.trim() === '') return 'none';
  return (await isInviteCodeKnown(code)) ? 'known' : 'unknown';
}

function sessionRoutes(deps: AccountDeps): void {
  const { app, database, clock, readOperatorData } = deps;
  route(app, endpoints.login, async ({ body, request }) => {
    const onError = (error: unknown): void => request.log.error({ err: error }, 'login ended in an error');
    const caller = { ...callerAddress(request), language: namedLanguage(request.headers.cookie) };
    const { token, expiresAt } = await logIn({ ...deps, onError }, await readOperatorData(), body, caller);
    return { status: 200, body: { token, expiresAt: expiresAt.toISOString() } };
  });
  route(app, endpoints.logout, async ({ member }) => {
    const tokenHash = sessionTokenHash(member);
    await database.tx(async (tx) => {
      await endSession(tx, tokenHash, clock.now());
      await deleteSessionSubscription(tx, tokenHash);
    });
    return { status: 200, body: { message: 'OK' } };
  });
}

function profileRoutes(deps: AccountDeps): void {
  const { app, database, readOperatorData } = deps;
  const readProfileBody = async (memberId: string) => ({
    ...(await readProfile(database, await readOperatorData(), memberId)),
    canChangeBank: !(await deps.hasMoneyMoved(memberId)),
  });
  route(app, endpoints.getProfile, async ({ member }) => ({ status: 200, body: await readProfileBody(member.id) }));
  route(app, endpoints.changeProfile, async ({ member, body, request }) => {
    const actor = { memberId: member.id, requestId: request.id, address: callerAddress(request).address };
    await changeProfile(deps, await readOperatorData(), actor, body);
    return { status: 200, body: await readProfileBody(member.id) };
  });
  route(app, endpoints.changeBankAccountName, async ({ member, body, request }) => {
    const actor = { memberId: member.id, requestId: request.id, address: callerAddress(request).address };
    return {
      status: 200,
      body: { bankAccount: await changeBankAccountName(deps, await readOperatorData(), actor, body) },
    };
  });
  route(app, endpoints.changePassword, async ({ member, body, request }) => {
    const actor = { memberId: member.id, tokenHash: sessionTokenHash(member), address: callerAddress(request).address };
    await changePassword(deps, await readOperatorData(), actor, body);
    return { status: 200, body: { message: 'OK' } };
  });
}

function settingsRoutes({ app, database }: AccountDeps): void {
  route(app, endpoints.getSettings, async ({ member }) => ({
    status: 200,
    body: await selectSettings(database, member.id),
  }));
  route(app, endpoints.changeSettings, async ({ member, body }) => {
    await saveSettings(database, member.id, body);
    return { status: 200, body };
  });
}
