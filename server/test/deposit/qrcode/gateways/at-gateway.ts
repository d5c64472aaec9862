import assert from 'node:assert/strict';
import { after, afterEach, before, describe } from 'node:test';
import { audit } from '../../../../src/ledger/audit.ts';
import { registerMember } from '../../../harness/members.ts';
import { startSystem, type System, type SystemOptions } from '../../../harness/system.ts';
import { GATEWAY_FIXTURES, type GatewayFixture, type RawCall } from './gateway-fixtures.ts';
import { assertTotalsAgree, type Customer, customer, fault, triggerInquiry, rowOf, until } from '../qr-fixtures.ts';

/** Longer than elsewhere: the tests of several gateways run concurrently. */
const TIMEOUT_MS = 3_000;
/** No test here waits for a missing SMS. */
const SMS_TIMEOUT_MS = 20_000;

/** A system with every gateway, for members of either currency. */
export function startForGateways(options: SystemOptions = {}): Promise<System> {
  const patient = <Agreed extends object>(agreed: Agreed) => ({ ...agreed, timeoutMs: TIMEOUT_MS });
  return startSystem({
    variant: 'lao',
    outside: ({ sms, kbank, ww, fp, payonex, bcel, ...rest }) => ({
      ...rest,
      sms: { ...sms, timeoutMs: SMS_TIMEOUT_MS },
      kbank: patient(kbank),
      ...(ww && { ww: patient(ww) }),
      ...(fp && { fp: patient(fp) }),
      ...(payonex && { payonex: patient(payonex) }),
      ...(bcel && { bcel: patient(bcel) }),
    }),
    ...options,
  });
}

export type LiveCode = {
  who: Customer;
  id: string;
  reference: string;
  payload: string;
  /** Amount to pay, which is credited to the wallet. */
  amount: number;
};

/** Helpers for one gateway. */
export function atGateway(system: System, world: GatewayFixture) {
  const isKip = world.currency === 'LAK';
  const newCustomer = async (): Promise<Customer> => {
    const choices = isKip ? { currency: 'LAK', bankCode: 'BCEL' } : { currency: 'BAHT' };
    return customer(system, await registerMember(system, choices), world.code);
  };

  /** Answered calls at the simulator about a code, newest first. */
  const callsAbout = async (target: string, call: string, key: string): Promise<{ status: number }[]> => {
    const { body } = await system.world(`GET /control/calls?target=${target}&call=${call}&limit=1000`);
    return (body as { key: string; status: number }[]).filter((one) => one.key === key);
  };

  return {
    newCustomer,
    callsAbout,
    /** A member with a live code. */
    async withCode(asked: number = world.amounts[0]): Promise<LiveCode> {
      const who = await newCustomer();
      const { status, body } = await who.create(asked);
      assert.equal(status, 200, JSON.stringify(body));
      const { reference } = await rowOf(system, body.qrcodeId);
      return { who, id: body.qrcodeId, reference, payload: body.payload, amount: body.amount };
    },
    async pay({ who, payload }: LiveCode, how: Parameters<Customer['pay']>[1] = {}): Promise<void> {
      const { status, body } = await who.pay(payload, how);
      assert.equal(status, 200, JSON.stringify(body));
    },
    untilDeposits: (who: Customer, amounts: number[]) =>
      until(who.deposits, (seen) => JSON.stringify(seen) === JSON.stringify(amounts), `deposits ${amounts.join()}`),
    untilState: (id: string, state: string) =>
      until(
        () => rowOf(system, id),
        (row) => row.state === state,
        state,
      ),
    /** Triggers an inquiry about a code, unless its watch has ended. */
    triggerInquiry: (id: string) => triggerInquiry(system, id),
    /** Paid, and no later event changes the credited amount. */
    async assertPaid({ who, id }: LiveCode, amounts: number[]): Promise<void> {
      await until(
        () => rowOf(system, id),
        (row) => row.state === 'PAID' && !row.due,
        'paid and nothing left to ask',
      );
      assert.deepEqual(await who.deposits(), amounts);
      assert.equal((await who.current()).body.hasQrcode, false);
    },
    /** Answered callbacks of the gateway about a code. */
    async callbacksOf(id: string): Promise<{ status: number }[]> {
      const { rows } = await system.database.query<{ number: string }>(
        'select coalesce(gateway_reference, reference) as number from qrcode where id = $1',
        [id],
      );
      return callsAbout('callback', world.name, rows[0]?.number ?? '');
    },
    fault: (body: Record<string, unknown>) => fault(system, { target: world.name, ...body }),
    clearFaults: () => system.world(`DELETE /control/faults?target=${world.name}`),
    /** Sends a callback unchanged. */
    async send(call: RawCall): Promise<{ status: number; text: string }> {
      const reply = await fetch(system.url + call.path, { method: 'POST', headers: call.headers, body: call.body });
      return { status: reply.status, text: await reply.text() };
    },
  };
}

export type AtGateway = ReturnType<typeof atGateway>;

/** Context of one gateway's tests; `system` and `at` are set once they run. */
export type AtOneGateway = { world: GatewayFixture; titled(title: string): string; system: System; at: AtGateway };

/**
 * Declares tests for every gateway on one system. After each, no fault is left and the house account of the gateway
 * agrees with the simulator; at the end the ledger passes its audit.
 */
export function atEachGateway(title: string, declare: (on: AtOneGateway) => void): void {
  let system: System;
  before(async () => {
    system = await startForGateways();
  });
  after(async () => {
    const violated = (await audit(system.database)).filter(({ violations }) => violations !== 0);
    await system.stop();
    assert.deepEqual(violated, []);
  });

  function atOne(world: GatewayFixture): void {
    let at: AtGateway;
    before(() => {
      at = atGateway(system, world);
    });
    afterEach(async () => {
      await at.clearFaults();
      await assertTotalsAgree(system, world.name);
    });
    declare({
      world,
      titled: (text) => `${world.code}: ${text}`,
      get system() {
        return system;
      },
      get at() {
        return at;
      },
    });
  }

  // Concurrently, because they mostly wait; in groups, to not overload the server.
  describe(title, { concurrency: 3 }, () => {
    for (const world of GATEWAY_FIXTURES) describe(world.code, { concurrency: 1 }, () => atOne(world));
  });
}
