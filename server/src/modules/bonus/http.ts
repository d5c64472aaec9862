import * as endpoints from '@krapao/contract/endpoints/bonus';
import type { Language } from '@krapao/contract/languages';
import { toWire } from '@krapao/contract/money';
import type { Variant } from '@krapao/contract/rules';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { callerAddress } from '../../platform/http/caller-address.ts';
import { type Member, requestLanguage } from '../../platform/http/caller.ts';
import { route } from '../../platform/http/route.ts';
import { Refusal } from '../../platform/errors.ts';
import { type ReceivedKind, type BonusDeps, toWirePromotion, userBonusOf } from './bonus.ts';
import { checkActive, limitCodeGuesses, findPromotion, listBonuses } from './list-offers.ts';
import { findOffer, lastReceived, selectOffers } from './queries.ts';
import { receiveOffer, unmetRequirements } from './receive-offer.ts';

export type BonusRoutes = BonusDeps & { app: FastifyInstance; variant: Variant };

/** Registers the calls of bonuses and promotions. */
export function bonusRoutes(routes: BonusRoutes): void {
  showRoutes(routes);
  receiveRoutes(routes);
}

function showRoutes({ app, variant, ...work }: BonusRoutes): void {
  const languageFor = (request: FastifyRequest): Language => requestLanguage(request.headers.cookie, variant);
  route(app, endpoints.listBonuses, async ({ member, request }) => ({
    status: 200,
    body: await listBonuses(work, member, languageFor(request)),
  }));
  route(app, endpoints.checkActiveBonus, async ({ member, request }) => ({
    status: 200,
    body: await checkActive(work, member, languageFor(request)),
  }));
  route(app, endpoints.listEnded, async ({ member, request }) => {
    const ended = await work.incentive.ended(member);
    const language = languageFor(request);
    return {
      status: 200,
      body: ended.map(({ name, endedAt, ...one }) => ({
        ...one,
        name: name[language],
        endedAt: endedAt.toISOString(),
      })),
    };
  });
  route(app, endpoints.checkBonusMinimum, async ({ member }) => {
    const offers = await selectOffers(work.database, 'BONUS', member.currency, work.clock.now());
    const least = offers.reduce<bigint | undefined>(
      (known, { minimumDeposit }) => (known === undefined || minimumDeposit < known ? minimumDeposit : known),
      undefined,
    );
    return { status: 200, body: { minimum: toWire(least ?? 0n) } };
  });
  route(app, endpoints.bonusRequirements, async ({ member, params }) => {
    const unmet = await unmetRequirements(work, member, params.code);
    return { status: 200, body: { unmet: unmet.map(({ code, detail }) => ({ code, detail: detail ?? null })) } };
  });
  route(app, endpoints.findPromotion, async ({ member, params, request }) => {
    await limitCodeGuesses(work, { memberId: member.id, group: callerAddress(request).group });
    return { status: 200, body: toWirePromotion(await findPromotion(work, member, params.code), languageFor(request)) };
  });
  route(app, endpoints.currentPromotion, async ({ member, request }) => {
    const active = await work.incentive.activeBonus(member.id, languageFor(request));
    const code = active?.progress.kind === 'PROMOTION' ? await lastReceived(work.database, member.id) : undefined;
    const offer = code === undefined ? undefined : await findOffer(work.database, code, member.currency);
    if (!offer) throw new Refusal('NO_DATA');
    return { status: 200, body: toWirePromotion(offer, languageFor(request)) };
  });
}

function receiveRoutes({ app, variant, ...work }: BonusRoutes): void {
  const receive = async (kind: ReceivedKind, typed: string, member: Member, request: FastifyRequest) => {
    const language = requestLanguage(request.headers.cookie, variant);
    const { grant, condition, facts } = await receiveOffer(work, member, { kind, code: typed, language });
    const { offer, receipts } = facts;
    return {
      ...userBonusOf(member.id, offer, [grant.createdAt, ...receipts], true),
      code: offer.code,
      amount: toWire(grant.amount),
      condition,
    };
  };
  route(app, endpoints.activateBonus, async ({ member, params, request }) => ({
    status: 200,
    body: await receive('BONUS', params.code, member, request),
  }));
  route(app, endpoints.activatePromotion, async ({ member, params, request }) => {
    await limitCodeGuesses(work, { memberId: member.id, group: callerAddress(request).group });
    return { status: 200, body: await receive('PROMOTION', params.code, member, request) };
  });
  route(app, endpoints.clearBonus, async ({ member }) => {
    await work.account.assertWalletOpen(member.id);
    return { status: 200, body: toWireCancelled(await work.incentive.clear(member)) };
  });
  route(app, endpoints.cancelCondition, async ({ member, body }) => {
    await work.account.assertWalletOpen(member.id);
    return { status: 200, body: toWireCancelled(await work.incentive.cancelCondition(member, body.reference)) };
  });
}

const toWireCancelled = ({ takenBack, kept }: { takenBack: bigint; kept: bigint }) => ({
  message: 'BONUS_CLEARED' as const,
  takenBack: toWire(takenBack),
  kept: toWire(kept),
});
