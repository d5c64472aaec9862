import * as endpoints from '@krapao/contract/endpoints/bonus';
import type { Language } from '@krapao/contract/languages';
import { toWire } from '@krapao/contract/money';
import type { Variant } from '@krapao/contract/rules';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../../platform/errors.ts';
import { callerAddress } from '../../platform/http/caller-address.ts';
import { type Member, requestLanguage } from '../../platform/http/caller.ts';
import { route } from '../../platform/http/route.ts';
import { type ReceivedKind, type BonusDeps, toWirePromotion, userBonusOf } from './bonus.ts';
import { listDepositBonuses } from './deposit-bonus.ts';
import { checkActive, limitCodeGuesses, findPromotion, listBonuses } from './list-offers.ts';
import { findOffer, findLastReceivedCode, selectOffers } from './queries.ts';
import { receiveOffer, unmetRequirements } from './receive-offer.ts';

export type BonusRoutes = BonusDeps & { app: FastifyInstance; variant: Variant };

/** Registers the endpoints of bonuses and promotions. */
export function bonusRoutes(routes: BonusRoutes): void {
  showRoutes(routes);
  receiveRoutes(routes);
}

function showRoutes({ app, variant, ...deps }: BonusRoutes): void {
  const languageFor = (request: FastifyRequest): Language => requestLanguage(request.headers.cookie, variant);
  route(app, endpoints.listBonuses, async ({ member, request }) => ({
    status: 200,
    body: await listBonuses(deps, member, languageFor(request)),
  }));
  route(app, endpoints.listDepositBonuses, async ({ member, request }) => ({
    status: 200,
    body: await listDepositBonuses(deps, member, languageFor(request)),
  }));
  route(app, endpoints.checkActiveBonus, async ({ member, request }) => ({
    status: 200,
    body: await checkActive(deps, member, languageFor(request)),
  }));
  route(app, endpoints.listEnded, async ({ member, request }) => {
    const endedConditions = await deps.incentive.listEnded(member);
    const language = languageFor(request);
    return {
      status: 200,
      body: endedConditions.map(({ name, endedAt, ...endedCondition }) => ({
        ...endedCondition,
        name: name[language],
        endedAt: endedAt.toISOString(),
      })),
    };
  });
  route(app, endpoints.checkBonusMinimum, async ({ member }) => {
    const offers = await selectOffers(deps.database, 'BONUS', member.currency, deps.clock.now());
    const lowestMinimum = offers.reduce<bigint | undefined>(
      (lowest, { minimumDeposit }) => (lowest === undefined || minimumDeposit < lowest ? minimumDeposit : lowest),
      undefined,
    );
    return { status: 200, body: { minimum: toWire(lowestMinimum ?? 0n) } };
  });
  route(app, endpoints.bonusRequirements, async ({ member, params }) => {
    const unmet = await unmetRequirements(deps, member, params.code);
    return { status: 200, body: { unmet: unmet.map(({ code, detail }) => ({ code, detail: detail ?? null })) } };
  });
  route(app, endpoints.findPromotion, async ({ member, params, request }) => {
    await limitCodeGuesses(deps, { memberId: member.id, group: callerAddress(request).group });
    return { status: 200, body: toWirePromotion(await findPromotion(deps, member, params.code), languageFor(request)) };
  });
  route(app, endpoints.currentPromotion, async ({ member, request }) => {
    const activeBonus = await deps.incentive.activeBonus(member.id, languageFor(request));
    const code =
      activeBonus?.progress.kind === 'PROMOTION' ? await findLastReceivedCode(deps.database, member.id) : undefined;
    const offer = code === undefined ? undefined : await findOffer(deps.database, code, member.currency);
    if (!offer) throw new Refusal('NO_DATA');
    return { status: 200, body: toWirePromotion(offer, languageFor(request)) };
  });
}

function receiveRoutes({ app, variant, ...deps }: BonusRoutes): void {
  const receiveAndReply = async (
    kind: ReceivedKind,
    requestedCode: string,
    member: Member,
    request: FastifyRequest,
  ) => {
    const language = requestLanguage(request.headers.cookie, variant);
    const { grant, condition, facts } = await receiveOffer(deps, member, { kind, code: requestedCode, language });
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
    body: await receiveAndReply('BONUS', params.code, member, request),
  }));
  route(app, endpoints.activatePromotion, async ({ member, params, request }) => {
    await limitCodeGuesses(deps, { memberId: member.id, group: callerAddress(request).group });
    return { status: 200, body: await receiveAndReply('PROMOTION', params.code, member, request) };
  });
  route(app, endpoints.clearBonus, async ({ member }) => {
    await deps.account.assertWalletOpen(member.id);
    return { status: 200, body: toWireCancelled(await deps.incentive.cancelBonus(member)) };
  });
  route(app, endpoints.cancelCondition, async ({ member, body }) => {
    await deps.account.assertWalletOpen(member.id);
    return { status: 200, body: toWireCancelled(await deps.incentive.cancelCondition(member, body.reference)) };
  });
}

const toWireCancelled = ({ takenBack, kept }: { takenBack: bigint; kept: bigint }) => ({
  message: 'BONUS_CLEARED' as const,
  takenBack: toWire(takenBack),
  kept: toWire(kept),
});
