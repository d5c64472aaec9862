import * as endpoints from '@krapao/contract/endpoints/spinwheel';
import { toWire } from '@krapao/contract/money';
import type { Variant } from '@krapao/contract/rules';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Member, requestLanguage } from '../../platform/http/caller.ts';
import { route } from '../../platform/http/route.ts';
import { claimCoupon, conditionReader } from './claim-coupon.ts';
import { readWheel, spinWheel } from './draw-spin.ts';
import { selectSpins } from './queries.ts';
import { rotateSeed } from './seeds.ts';
import {
  type SpinwheelDeps,
  type Coupon,
  type Seed,
  type Slice,
  spinwheelSetting,
  localizedText,
  sliceWeights,
} from './spinwheel.ts';
import { expireCoupons, selectOpenCoupons, selectActiveWheel, selectWheels } from './wheel-queries.ts';

export type SpinwheelRoutesDeps = SpinwheelDeps & { variant: Variant };
type SliceText = (slice: Slice, field: 'label' | 'prizeName' | 'htmlDescription') => string;

/** Registers the endpoints of the wheel, coupons and spin proofs. */
export function spinwheelRoutes(app: FastifyInstance, deps: SpinwheelRoutesDeps): void {
  const sliceTextFor = (request: FastifyRequest, { currency }: Member): SliceText => {
    const memberLocale = { language: requestLanguage(request.headers.cookie, deps.variant), currency };
    return (slice, field) => localizedText(slice, field, memberLocale);
  };
  wheelRoutes(app, deps, sliceTextFor);
  couponRoutes(app, deps, sliceTextFor);
  proofRoutes(app, deps, sliceTextFor);
}

type SliceTextFor = (request: FastifyRequest, member: Member) => SliceText;

function wheelRoutes(app: FastifyInstance, deps: SpinwheelRoutesDeps, sliceTextFor: SliceTextFor): void {
  route(app, endpoints.spinwheelActive, async () => {
    const { isActive } = (await deps.readOperatorData()).settingOf(spinwheelSetting);
    return { status: 200, body: { isActive: isActive && (await selectActiveWheel(deps.database)) !== undefined } };
  });
  route(app, endpoints.spinwheelSetup, async ({ member, request }) => {
    const { wheel, coins, coinPer, current, next } = await readWheel(deps, member);
    const sliceText = sliceTextFor(request, member);
    const sliceList = wheel.slices.map((slice) => ({
      code: slice.code,
      label: sliceText(slice, 'label'),
      bgColor: slice.bgColor,
      textColor: slice.textColor,
      htmlDescription: sliceText(slice, 'htmlDescription'),
      weight: slice.weight,
      prizeKind: slice.prize.kind,
    }));
    const name = wheel.name[requestLanguage(request.headers.cookie, deps.variant)];
    const activeSpinwheel = { name, version: wheel.version, weightsHash: wheel.weightsHash, sliceList };
    const fairness = fairnessOf(current, next);
    return { status: 200, body: { result: { activeSpinwheel, userCoin: coins, coinPer: toWire(coinPer), fairness } } };
  });
  route(app, endpoints.spin, async ({ member, request, idempotencyKey }) => {
    const spinResult = await spinWheel(deps, member, idempotencyKey);
    if (typeof spinResult === 'string')
      return { status: 200, body: { success: false, error: spinResult, result: null } };
    const { spin, slice } = spinResult;
    const wireResult = {
      spinId: spin.id,
      code: slice.code,
      label: sliceTextFor(request, member)(slice, 'label'),
      remainingCoin: spin.coinsAfter,
      hasPrize: slice.prize.kind !== 'NONE',
      version: spin.version,
      nonce: spin.nonce,
    };
    return { status: 200, body: { success: true, error: null, result: wireResult } };
  });
}

function couponRoutes(app: FastifyInstance, deps: SpinwheelRoutesDeps, sliceTextFor: SliceTextFor): void {
  route(app, endpoints.listCoupons, async ({ member, request }) => {
    const now = deps.clock.now();
    await expireCoupons(deps.database, member.id, now);
    const coupons = await selectOpenCoupons(deps.database, member.id, now);
    const wheels = await selectWheels(
      deps.database,
      coupons.map(({ version }) => version),
    );
    const sliceText = sliceTextFor(request, member);
    const conditionOf = conditionReader(deps, member);
    const wireCoupons = coupons.map(async (coupon) => {
      const wonSlice = wheels.get(coupon.version)?.slices.find(({ code }) => code === coupon.sliceCode);
      const textOrCode = (field: 'label' | 'prizeName'): string =>
        wonSlice ? sliceText(wonSlice, field) : coupon.sliceCode;
      const slice = { code: coupon.sliceCode, label: textOrCode('label') };
      return {
        _id: coupon.id,
        prize: { name: textOrCode('prizeName'), kind: coupon.kind, slice },
        amount: amountOf(coupon),
        state: coupon.state,
        condition: await conditionOf(coupon, wonSlice),
        expiresAt: coupon.expiresAt?.toISOString() ?? null,
        createdAt: coupon.createdAt.toISOString(),
      };
    });
    return { status: 200, body: { coupons: await Promise.all(wireCoupons) } };
  });
  route(app, endpoints.claimCoupon, async ({ body, member, request }) => {
    const { coupon, slice, coins } = await claimCoupon(deps, member, body.coupon);
    const wireResult = {
      label: sliceTextFor(request, member)(slice, 'label'),
      kind: coupon.kind,
      amount: amountOf(coupon),
      coin: coins,
    };
    return { status: 200, body: { success: true, error: null, result: wireResult } };
  });
}

function proofRoutes(app: FastifyInstance, deps: SpinwheelRoutesDeps, sliceTextFor: SliceTextFor): void {
  route(app, endpoints.listSpins, async ({ body, member, request }) => {
    const { total, spins, next } = await selectSpins(deps.database, member.id, body);
    const wheels = await selectWheels(
      deps.database,
      spins.map(({ version }) => version),
    );
    const sliceText = sliceTextFor(request, member);
    const wireSpins = spins.map((spin) => {
      const slices = wheels.get(spin.version)?.slices ?? [];
      const slice = slices[spin.slice];
      return {
        spinId: spin.id,
        version: spin.version,
        code: spin.sliceCode,
        label: slice ? sliceText(slice, 'label') : spin.sliceCode,
        commitment: spin.commitment,
        serverSeed: spin.serverSeed,
        clientSeed: spin.clientSeed,
        nonce: spin.nonce,
        weights: sliceWeights(slices),
        createdAt: spin.createdAt.toISOString(),
      };
    });
    return { status: 200, body: { total, spins: wireSpins, ...(next && { next }) } };
  });
  route(app, endpoints.rotateSeed, async ({ body, member }) => {
    const { revealed, current, next } = await rotateSeed(deps, member, body.clientSeed);
    return { status: 200, body: { revealed, fairness: fairnessOf(current, next) } };
  });
}

const fairnessOf = ({ commitment, clientSeed, nonce }: Seed, next: Seed) => ({
  commitment,
  nextCommitment: next.commitment,
  clientSeed,
  nonce,
});

const amountOf = ({ kind, amount }: Coupon): number => (kind === 'MONEY' ? toWire(amount) : Number(amount));
