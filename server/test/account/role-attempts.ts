import type { RequestBodyOf } from '@krapao/contract/endpoint';
import type { EndpointName, Endpoints } from '@krapao/contract/endpoints';
import type { ApiOptions } from '../harness/api-client.ts';
import type { TestMember } from '../harness/members.ts';

type MemberCall = { [Name in EndpointName]: Endpoints[Name]['access'] extends 'member' ? Name : never }[EndpointName];

/** A member with money, a game account, a transfer and a payable code, with their ids. */
export type ResourceOwner = TestMember & {
  qrcodeId: string;
  paidQrcodeId: string;
  game: { code: string; username: string; password: string };
  transfer: { body: { from: string; to: string; amount: number }; key: string; reference: string };
  announcement: { body: { amount: number }; key: string; reference: string };
  slip: { reference: string };
  /** Body with which the owner subscribed. */
  push: RequestBodyOf<Endpoints['PUT /api/push/subscription']>;
  /** A winning spin; its coupon has the same id. */
  spin: { key: string; id: string };
};

/**
 * For every member call, every option by which another member can name the owner's resources: by path, by body, by
 * header. A missing call does not compile.
 */
export const foreignResourceRequests: Readonly<Record<MemberCall, (owner: ResourceOwner) => ApiOptions[]>> = {
  'POST /api/logout': (owner) => [{ body: { memberId: owner.id, token: owner.token } }],
  'GET /api/account/profile': (owner) => [{}, spoofedHeadersOf(owner)],
  'GET /api/account/settings': (owner) => [{}, spoofedHeadersOf(owner)],
  'PUT /api/account/settings': ({ id }) => [{ body: { bringsMoneyHome: true, memberId: id } }],
  'GET /api/withdraw/advice': (owner) => [{}, spoofedHeadersOf(owner)],
  'GET /api/deposit/advice': (owner) => [{}, spoofedHeadersOf(owner)],
  'GET /api/deposit/bonuses': (owner) => [{}, spoofedHeadersOf(owner)],
  'PUT /api/account/changepwd': (owner) => [
    {
      body: {
        memberId: owner.id,
        username: owner.phone,
        oldPassword: owner.password,
        newPassword: 'a-strangers-choice-1',
      },
    },
  ],
  'PUT /api/account/profile': (owner) => [
    { body: { memberId: owner.id, _id: owner.id, name: 'A stranger' } },
    {
      body: {
        name: 'A stranger',
        bankCode: owner.bankCode,
        bankAccountName: owner.bankAccountName,
        bankAccountNo: owner.bankAccountNo,
      },
    },
  ],
  'PUT /api/account/bankAccountName': (owner) => [
    {
      body: { memberId: owner.id, bankCode: 'GSB', bankAccountName: 'A STRANGER', bankAccountNo: owner.bankAccountNo },
    },
  ],
  'GET /api/wallet': (owner) => [{}, spoofedHeadersOf(owner)],
  'GET /api/wallet/refresh/slot': (owner) => [{}, spoofedHeadersOf(owner)],
  'GET /api/wallet/activate/{slotCode}': (owner) => [{ params: { slotCode: owner.game.username } }],
  'GET /api/wallet/account/{slotCode}': (owner) => requestsBySlot(owner),
  'GET /api/wallet/resetpassword/{slotCode}': (owner) => requestsBySlot(owner),
  'GET /api/autoLogin/{provider}/{username}': (owner) => requestsByUsername(owner),
  'GET /api/autoLogin/{provider}/{username}/{password}': (owner) => requestsByUsername(owner),
  'POST /api/wallet/transfer': ({ transfer, id, game }) => [
    { body: transfer.body, idempotencyKey: transfer.key },
    { body: { ...transfer.body, memberId: id, member: id }, idempotencyKey: transfer.key },
    { body: { from: `${id}/WALLET`, to: game.code, amount: 1 } },
    { body: { from: game.username, to: 'WALLET', amount: 1 } },
    { body: { from: game.code, to: 'WALLET', amount: 1 } },
  ],
  'POST /api/wallet/transferAll': ({ transfer, id, game }) => [
    { body: { to: transfer.body.to }, idempotencyKey: transfer.key },
    { body: { to: game.code, memberId: id, member: id } },
  ],
  'POST /api/wallet/withdraw': ({ id, bankCode, bankAccountNo }) => [
    { body: { amount: 100, memberId: id, member: id } },
    { body: { amount: 100, bankCode, bankAccountNo, to: { bankCode, accountNo: bankAccountNo } } },
  ],
  'POST /api/wallet/withdrawAll': ({ id, game }) => [{ body: { amount: 100, memberId: id, slotCode: game.code } }],
  'POST /api/wallet/slip': (owner) => [spoofedHeadersOf(owner)],
  'POST /api/statement/slip': ({ id }) => [{ body: { page: 1, limit: 100, memberId: id, member: id } }],
  'GET /api/statement/slip/reference/{reference}': ({ id, transfer, slip }) => [
    { params: { reference: id } },
    { params: { reference: transfer.reference } },
    { params: { reference: slip.reference } },
  ],
  'POST /api/wallet/truelink': ({ id }) => [{ body: { link: id, memberId: id } }],
  'GET /api/qrcode/{bankCode}': ({ qrcodeId }) => [
    { params: { bankCode: 'KBANK' } },
    { params: { bankCode: qrcodeId } },
  ],
  'POST /api/qrcode/{bankCode}': ({ qrcodeId, id }) => [
    { params: { bankCode: 'KBANK' }, body: { amount: 35, qrcodeId, memberId: id } },
  ],
  'DELETE /api/qrcode/{qrcodeId}': ({ qrcodeId, paidQrcodeId }) => [
    { params: { qrcodeId } },
    { params: { qrcodeId: paidQrcodeId } },
  ],
  'POST /api/wallet/add': ({ announcement, id }) => [
    { body: announcement.body, idempotencyKey: announcement.key },
    { body: { amount: 36, memberId: id, member: id, reference: announcement.reference } },
  ],
  'GET /api/wallet/add/{reference}': ({ announcement }) => [{ params: { reference: announcement.reference } }],
  'GET /api/pending': (owner) => [{}, spoofedHeadersOf(owner)],
  'GET /api/money/{key}': ({ transfer, announcement, slip, id }) =>
    [transfer.reference, announcement.reference, slip.reference, id].map((key) => ({ params: { key } })),
  'POST /api/notices': ({ id }) => [{ body: { page: 1, limit: 100, memberId: id, member: id } }],
  'POST /api/notices/read': ({ id }) => [{ body: { until: '999999999999', memberId: id, member: id } }],
  'GET /api/push/key': (owner) => [{}, spoofedHeadersOf(owner)],
  'GET /api/push/subscription': (owner) => [{}, spoofedHeadersOf(owner)],
  'PUT /api/push/subscription': ({ id, push }) => [
    { body: { ...push, endpoint: `${push.endpoint}x`, memberId: id, member: id } },
  ],
  'DELETE /api/push/subscription': ({ id, push }) => [{ body: { endpoint: push.endpoint, memberId: id, member: id } }],
  'PUT /api/wallet/favourite/{slotCode}': (owner) => [
    { params: { slotCode: owner.game.code }, body: { memberId: owner.id, member: owner.id } },
  ],
  'DELETE /api/wallet/favourite/{slotCode}': (owner) => [
    { params: { slotCode: owner.game.code }, body: { memberId: owner.id, member: owner.id } },
  ],
  'POST /api/statement/export': ({ id }) => [
    {
      body: {
        format: 'csv',
        language: 'en',
        from: '2026-01-01T00:00:00Z',
        until: '2026-12-31T00:00:00Z',
        memberId: id,
        member: id,
      },
    },
  ],
  'GET /api/statement/export/{id}': ({ id, transfer }) => [{ params: { id } }, { params: { id: transfer.reference } }],
  'POST /api/statement': ({ id }) => [{ body: { page: 1, limit: 100, memberId: id, member: id } }],
  'GET /api/bonus': (owner) => [{}, spoofedHeadersOf(owner)],
  'GET /api/bonus/activate/{code}': (owner) => [
    ...byCode(owner),
    { ...spoofedHeadersOf(owner), params: { code: 'WELCOME' } },
  ],
  'GET /api/bonus/check/active': (owner) => [{}, spoofedHeadersOf(owner)],
  'GET /api/bonus/check/minimum': (owner) => [spoofedHeadersOf(owner)],
  'GET /api/bonus/ended': (owner) => [{}, spoofedHeadersOf(owner)],
  'GET /api/bonus/clear': (owner) => [{}, spoofedHeadersOf(owner)],
  'GET /api/bonus/requirements/{code}': (owner) => byCode(owner),
  'POST /api/bonus/clear': ({ id }) => [{ body: { reference: 'B0000000000000', memberId: id } }],
  'GET /api/promotion/find/{code}': (owner) => byCode(owner),
  'GET /api/promotion/activate/{code}': (owner) => [
    ...byCode(owner),
    { ...spoofedHeadersOf(owner), params: { code: 'VIP25' } },
  ],
  'GET /api/promotion/current': (owner) => [{}, spoofedHeadersOf(owner)],
  'POST /api/refund': ({ id }) => [{ body: { page: 1, limit: 100, memberId: id, member: id } }],
  'GET /api/refund/check': (owner) => [{}, spoofedHeadersOf(owner)],
  'GET /api/refund/receive': (owner) => [{}, spoofedHeadersOf(owner)],
  'GET /api/refund/addWallet': (owner) => [{}, spoofedHeadersOf(owner)],
  'GET /api/refund/banners': (owner) => [spoofedHeadersOf(owner)],
  'POST /api/invite': ({ id }) => [{ body: { page: 1, limit: 100, memberId: id, inviteCode: `PR${id}` } }],
  'GET /api/invite/bonus': (owner) => [{}, spoofedHeadersOf(owner)],
  'GET /api/invite/banners': (owner) => [spoofedHeadersOf(owner)],
  'GET /api/spinwheel/active': (owner) => [spoofedHeadersOf(owner)],
  'GET /api/spinwheel/setup': (owner) => [{}, spoofedHeadersOf(owner)],
  'POST /api/spinwheel/spin': ({ id, spin, ...owner }) => [
    { idempotencyKey: spin.key },
    { ...spoofedHeadersOf({ ...owner, id, spin }), body: { memberId: id, member: id, spinId: spin.id } },
  ],
  'GET /api/spinwheel/coupon': (owner) => [{}, spoofedHeadersOf(owner)],
  'POST /api/spinwheel/coupon/claim': ({ id, spin }) => [
    { body: { coupon: spin.id } },
    { body: { coupon: spin.id, memberId: id, member: id } },
    { body: { coupon: id } },
  ],
  'POST /api/spinwheel/spins': ({ id, spin }) => [{ body: { page: 1, limit: 100, memberId: id, spinId: spin.id } }],
  'POST /api/spinwheel/seed': ({ id }) => [{ body: {} }, { body: { clientSeed: 'chosen', memberId: id, member: id } }],
};

const spoofedHeadersOf = (owner: ResourceOwner): ApiOptions => ({
  headers: { 'x-member-id': owner.id, cookie: `token=${owner.token}` },
});
const requestsBySlot = ({ game }: ResourceOwner): ApiOptions[] => [
  { params: { slotCode: game.code } },
  { params: { slotCode: game.username } },
];
const byCode = ({ id }: ResourceOwner): ApiOptions[] => [
  { params: { code: `WELCOME-${id}` } },
  { params: { code: id.slice(0, 32) } },
];
const requestsByUsername = ({ game }: ResourceOwner): ApiOptions[] => [
  { params: { provider: game.code, username: game.username, password: game.password } },
];
