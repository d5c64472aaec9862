import * as endpoints from '@krapao/contract/endpoints/account';
import type { Variant } from '@krapao/contract/rules';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../../platform/time.ts';
import type { Database } from '../../platform/database/database.ts';
import { callerAddress } from '../../platform/http/caller-address.ts';
import { route } from '../../platform/http/route.ts';
import type { RateLimits } from '../../platform/http/rate-limit.ts';
import type { SiteConfig } from '../lookup/index.ts';
import type { OtpModule } from '../otp/index.ts';
import { hashSessionToken, changePassword, logIn } from './sessions.ts';
import { changeBankAccountName, changeProfile, toWireProfile, readProfile } from './profile.ts';
import { checkRegistration, registerAccount, type OnRegistered } from './register.ts';
import { endSession } from './queries.ts';

export type AccountDeps = {
  app: FastifyInstance;
  database: Database;
  clock: Clock;
  rateLimits: RateLimits;
  otp: OtpModule;
  variant: Variant;
  operatorData: () => Promise<SiteConfig>;
  /** Whether any money of the member has ever moved. */
  hasMoved: (memberId: string) => Promise<boolean>;
  welcome: OnRegistered;
  /** Whether an invite code is of a member whom one can register by. */
  hasInviter: (code: string) => Promise<boolean>;
};

/** Serves registration, sessions and the member's profile. */
export function accountRoutes(deps: AccountDeps): void {
  registrationRoutes(deps);
  sessionRoutes(deps);
  profileRoutes(deps);
}

function registrationRoutes(deps: AccountDeps): void {
  const { app, operatorData } = deps;
  route(app, endpoints.validateAccount, async ({ body, request }) => {
    await checkRegistration(deps, await operatorData(), body, { caller: callerAddress(request), whole: false });
    const inviter = await inviterOf(deps, body.inviteCode);
    return { status: 200, body: { message: 'OK', inviter } };
  });
  route(app, endpoints.createAccount, async ({ body, request }) => {
    const onTrouble = troubleOf(request, 'a member could not be entered');
    const member = await registerAccount({ ...deps, onTrouble }, await operatorData(), body, callerAddress(request));
    return { status: 200, body: { profile: toWireProfile(member) } };
  });
}

async function inviterOf({ hasInviter }: AccountDeps, code: string): Promise<'none' | 'known' | 'unknown'> {
  if (code.trim() === '') return 'none';
  return (await hasInviter(code)) ? 'known' : 'unknown';
}

function sessionRoutes(deps: AccountDeps): void {
  const { app, database, clock, operatorData } = deps;
  route(app, endpoints.login, async ({ body, request }) => {
    const onTrouble = troubleOf(request, 'a session could not be opened');
    const { token, expiresAt } = await logIn(
      { ...deps, onTrouble },
      await operatorData(),
      body,
      callerAddress(request),
    );
    return { status: 200, body: { token, expiresAt: expiresAt.toISOString() } };
  });
  route(app, endpoints.logout, async ({ member }) => {
    await endSession(database, hashSessionToken(member), clock.now());
    return { status: 200, body: { message: 'OK' } };
  });
}

function profileRoutes(deps: AccountDeps): void {
  const { app, database, operatorData } = deps;
  const picture = async (memberId: string) => ({
    ...(await readProfile(database, await operatorData(), memberId)),
    canChangeBank: !(await deps.hasMoved(memberId)),
  });
  route(app, endpoints.getProfile, async ({ member }) => ({ status: 200, body: await picture(member.id) }));
  route(app, endpoints.changeProfile, async ({ member, body, request }) => {
    const by = { memberId: member.id, requestId: request.id, address: callerAddress(request).address };
    await changeProfile(deps, await operatorData(), by, body);
    return { status: 200, body: await picture(member.id) };
  });
  route(app, endpoints.changeBankAccountName, async ({ member, body, request }) => {
    const by = { memberId: member.id, requestId: request.id, address: callerAddress(request).address };
    return { status: 200, body: { bankAccount: await changeBankAccountName(deps, await operatorData(), by, body) } };
  });
  route(app, endpoints.changePassword, async ({ member, body, request }) => {
    const by = { memberId: member.id, tokenHash: hashSessionToken(member), address: callerAddress(request).address };
    await changePassword(deps, await operatorData(), by, body);
    return { status: 200, body: { message: 'OK' } };
  });
}

const troubleOf =
  (request: FastifyRequest, what: string) =>
  (error: unknown): void =>
    request.log.error({ err: error }, what);
