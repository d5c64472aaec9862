import * as endpoints from '@krapao/contract/endpoints/account';
import type { Variant } from '@krapao/contract/rules';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import { callerOf } from '../../platform/http/caller/caller-address.ts';
import { route } from '../../platform/http/registrar.ts';
import type { RateLimits } from '../../platform/http/limits/rate-limit.ts';
import type { OperatorData } from '../lookup/module.ts';
import type { OtpModule } from '../otp/module.ts';
import { tokenHashOf } from './authenticate-request.ts';
import { changeBankAccountName } from './change-bank-account-name.ts';
import { changePassword } from './change-password.ts';
import { changeProfile } from './change-profile.ts';
import { checkRegistration } from './check-registration.ts';
import { logIn } from './log-in.ts';
import { endSession } from './queries.ts';
import { profileOf, readProfile } from './read-profile.ts';
import { registerAccount, type Welcome } from './register-account.ts';

export type AccountDeps = {
  app: FastifyInstance;
  database: Database;
  clock: Clock;
  rateLimits: RateLimits;
  otp: OtpModule;
  variant: Variant;
  operatorData: () => Promise<OperatorData>;
  /** Whether any money of the member has ever moved. */
  hasMoved: (memberId: string) => Promise<boolean>;
  welcome: Welcome;
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
    await checkRegistration(deps, await operatorData(), body, { caller: callerOf(request), whole: false });
    const inviter = await inviterOf(deps, body.inviteCode);
    return { status: 200, body: { message: 'OK', inviter } };
  });
  route(app, endpoints.createAccount, async ({ body, request }) => {
    const onTrouble = troubleOf(request, 'a member could not be entered');
    const member = await registerAccount({ ...deps, onTrouble }, await operatorData(), body, callerOf(request));
    return { status: 200, body: { profile: profileOf(member) } };
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
    const { token, expiresAt } = await logIn({ ...deps, onTrouble }, await operatorData(), body, callerOf(request));
    return { status: 200, body: { token, expiresAt: expiresAt.toISOString() } };
  });
  route(app, endpoints.logout, async ({ member }) => {
    await endSession(database, tokenHashOf(member), clock.now());
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
    const by = { memberId: member.id, requestId: request.id, address: callerOf(request).address };
    await changeProfile(deps, await operatorData(), by, body);
    return { status: 200, body: await picture(member.id) };
  });
  route(app, endpoints.changeBankAccountName, async ({ member, body, request }) => {
    const by = { memberId: member.id, requestId: request.id, address: callerOf(request).address };
    return { status: 200, body: { bankAccount: await changeBankAccountName(deps, await operatorData(), by, body) } };
  });
  route(app, endpoints.changePassword, async ({ member, body, request }) => {
    const by = { memberId: member.id, tokenHash: tokenHashOf(member), address: callerOf(request).address };
    await changePassword(deps, await operatorData(), by, body);
    return { status: 200, body: { message: 'OK' } };
  });
}

const troubleOf =
  (request: FastifyRequest, what: string) =>
  (error: unknown): void =>
    request.log.error({ err: error }, what);
