import assert from 'node:assert/strict';
import { after, afterEach, before, describe } from 'node:test';
import * as vendors from '../../../../src/adapters/gateway/vendors.ts';
import { audit } from '../../../../src/ledger/audit.ts';
import { registerMember } from '../../../harness/members.ts';
import { startSystem, type System, type SystemOptions } from '../../../harness/system.ts';
import {
  assertTotalsAgree,
  type QrCustomer,
  qrCustomer,
  injectFault,
  triggerInquiry,
  readQrcodeRow,
  waitUntil,
} from '../qr-fixtures.ts';
import { GATEWAY_FIXTURES, type GatewayFixture, type RawRequest } from './gateway-fixtures.ts';

/** Longer than elsewhere: the tests of several gateways run concurrently. */
const TIMEOUT_MS = 3_000;
/** No test here waits for a missing SMS. */
const SMS_TIMEOUT_MS = 20_000;

/** A system with every gateway, for members of either currency. */
export function startForGateways(options: SystemOptions = {}): Promise<System> {
  return startSystem({
    variant: 'lao',
    outside: (config) => {
      const gatewayConfigs = Object.entries<object | string | undefined>(config).filter(([name]) => name in vendors);
      const withTimeouts = gatewayConfigs.map(([name, settings]) => [
        name,
        { ...(settings as object), timeoutMs: TIMEOUT_MS },
      ]);
      return { ...config, sms: { ...config.sms, timeoutMs: SMS_TIMEOUT_MS }, ...Object.fromEntries(withTimeouts) };
    },
    ...options,
  });
}

export type LiveQrcode = {
  customer: QrCustomer;
  id: string;
  reference: string;
  payload: string;
  /** Amount to pay, which is credited to the wallet. */
  amount: number;
};

/** Helpers for one gateway. */
export function gatewayHelpers(system: System, fixture: GatewayFixture) {
  const isKip = fixture.currency === 'LAK';
  const newCustomer = async (): Promise<QrCustomer> => {
    const choices = isKip ? { currency: 'LAK', bankCode: 'BCEL' } : { currency: 'BAHT' };
    return qrCustomer(system, await registerMember(system, choices), fixture.code);
  };

  /** Answered calls at the simulator about a code, newest first. */
  const readSimulatorCalls = async (target: string, call: string, key: string): Promise<{ status: number }[]> => {
    const { body } = await system.simulatorsApi(`GET /control/calls?target=${target}&call=${call}&limit=1000`);
    return (body as { key: string; status: number }[]).filter((loggedCall) => loggedCall.key === key);
  };

  return {
    newCustomer,
    callsAbout: readSimulatorCalls,
    /** A member with a live code. */
    async createCode(requestedAmount: number = fixture.validAmounts[0]): Promise<LiveQrcode> {
      const customer = await newCustomer();
      const { status, body } = await customer.create(requestedAmount);
      assert.equal(status, 200, JSON.stringify(body));
      const { reference } = await readQrcodeRow(system, body.qrcodeId);
      return { customer, id: body.qrcodeId, reference, payload: body.payload, amount: body.amount };
    },
    async payCode({ customer, payload }: LiveQrcode, payOptions: Parameters<QrCustomer['pay']>[1] = {}): Promise<void> {
      const { status, body } = await customer.pay(payload, payOptions);
      assert.equal(status, 200, JSON.stringify(body));
    },
    untilDeposits: (customer: QrCustomer, amounts: number[]) =>
      waitUntil(
        customer.deposits,
        (seen) => JSON.stringify(seen) === JSON.stringify(amounts),
        `deposits ${amounts.join()}`,
      ),
    untilState: (id: string, state: string) =>
      waitUntil(
        () => readQrcodeRow(system, id),
        (row) => row.state === state,
        state,
      ),
    /** Triggers an inquiry about a code, unless its inquiries have ended. */
    triggerInquiry: (id: string) => triggerInquiry(system, id),
    /** Paid, and no later event changes the credited amount. */
    async assertPaid({ customer, id }: LiveQrcode, amounts: number[]): Promise<void> {
      await waitUntil(
        () => readQrcodeRow(system, id),
        (row) => row.state === 'PAID' && !row.due,
        'paid and nothing left to ask',
      );
      assert.deepEqual(await customer.deposits(), amounts);
      assert.equal((await customer.current()).body.hasQrcode, false);
    },
    /** Answered callbacks of the gateway about a code. */
    async callbacksOf(id: string): Promise<{ status: number }[]> {
      const { rows } = await system.database.query<{ number: string }>(
        'select coalesce(gateway_reference, reference) as number from qrcode where id = $1',
        [id],
      );
      return readSimulatorCalls('callback', fixture.name, rows[0]?.number ?? '');
    },
    fault: (body: Record<string, unknown>) => injectFault(system, { target: fixture.name, ...body }),
    clearFaults: () => system.simulatorsApi(`DELETE /control/faults?target=${fixture.name}`),
    /** Sends a callback unchanged. */
    async send(call: RawRequest): Promise<{ status: number; text: string }> {
      const reply = await fetch(system.url + call.path, { method: 'POST', headers: call.headers, body: call.body });
      return { status: reply.status, text: await reply.text() };
    },
  };
}

export type GatewayHelpers = ReturnType<typeof gatewayHelpers>;

/** Context of one gateway's tests; `system` and `helpers` are set once they run. */
export type GatewayTestContext = {
  fixture: GatewayFixture;
  titleOf(title: string): string;
  system: System;
  helpers: GatewayHelpers;
};

/**
 * Declares tests for every gateway on one system. After each, no fault is left and the house account of the gateway
 * agrees with the simulator; at the end the ledger passes its audit.
 */
export function testEachGateway(title: string, declareTests: (context: GatewayTestContext) => void): void {
  let system: System;
  before(async () => {
    system = await startForGateways();
  });
  after(async () => {
    const violatedAudits = (await audit(system.database)).filter(({ violations }) => violations !== 0);
    await system.stop();
    assert.deepEqual(violatedAudits, []);
  });

  function testOneGateway(fixture: GatewayFixture): void {
    let helpers: GatewayHelpers;
    before(() => {
      helpers = gatewayHelpers(system, fixture);
    });
    afterEach(async () => {
      await helpers.clearFaults();
      await assertTotalsAgree(system, fixture.name);
    });
    declareTests({
      fixture,
      titleOf: (text) => `${fixture.code}: ${text}`,
      get system() {
        return system;
      },
      get helpers() {
        return helpers;
      },
    });
  }

  // Concurrently, because they mostly wait; in groups, to not overload the server.
  describe(title, { concurrency: 3 }, () => {
    for (const fixture of GATEWAY_FIXTURES) describe(fixture.code, { concurrency: 1 }, () => testOneGateway(fixture));
  });
}
