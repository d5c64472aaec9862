import * as account from './endpoints/account.ts';
import * as bonus from './endpoints/bonus.ts';
import * as chat from './endpoints/chat.ts';
import * as advice from './endpoints/deposit/advice.ts';
import * as bankTransfer from './endpoints/deposit/bank-transfer.ts';
import * as qrcode from './endpoints/deposit/qrcode.ts';
import * as slip from './endpoints/deposit/slip.ts';
import * as truelink from './endpoints/deposit/truelink.ts';
import * as game from './endpoints/game.ts';
import * as invite from './endpoints/invite.ts';
import * as notification from './endpoints/notification.ts';
import * as operatorData from './endpoints/operator-data.ts';
import * as otp from './endpoints/otp.ts';
import * as refund from './endpoints/refund.ts';
import * as spinwheel from './endpoints/spinwheel.ts';
import * as statement from './endpoints/statement.ts';
import * as timeline from './endpoints/timeline.ts';
import * as transfer from './endpoints/transfer.ts';
import * as wallet from './endpoints/wallet.ts';
import * as withdraw from './endpoints/withdraw.ts';

/** All calls of the server, by "METHOD path". The app's client derives its types from this table. */
export const endpoints = {
  'GET /api/lookup/banks': operatorData.listBanks,
  'GET /api/lookup/deposit': operatorData.getDepositMethods,
  'GET /api/lookup/conditions': operatorData.getConditions,
  'GET /api/lookup/agreements': operatorData.getAgreements,
  'GET /api/lookup/info': operatorData.getSiteInfo,
  'GET /api/lookup/notice': operatorData.getSiteNotice,
  'GET /api/lookup/contact': operatorData.getContact,
  'GET /api/lookup/withdraw': operatorData.getWithdrawLimits,
  'GET /api/lookup/slip': operatorData.getSlipRules,
  'GET /api/lookup/sources': operatorData.listSources,
  'GET /api/lookup/active': operatorData.getSiteStatus,
  'GET /api/lookup/registerOTP': operatorData.getRegisterOtp,
  'GET /api/lookup/games': game.listGames,
  'GET /api/lookup/popular': game.listPopularGames,
  'GET /api/lookup/enableChatWidget': operatorData.getChatSwitch,
  'POST /api/login': account.login,
  'POST /api/logout': account.logout,
  'POST /api/account/validate': account.validateAccount,
  'POST /api/account': account.createAccount,
  'GET /api/account/profile': account.getProfile,
  'PUT /api/account/profile': account.changeProfile,
  'PUT /api/account/bankAccountName': account.changeBankAccountName,
  'GET /api/account/settings': account.getSettings,
  'PUT /api/account/settings': account.changeSettings,
  'PUT /api/account/changepwd': account.changePassword,
  'POST /api/otp/send': otp.sendOtp,
  'POST /api/otp/verify': otp.verifyOtp,
  'GET /api/wallet': wallet.getWallet,
  'GET /api/wallet/refresh/slot': game.refreshSlots,
  'GET /api/wallet/activate/{slotCode}': game.activateSlot,
  'GET /api/wallet/account/{slotCode}': game.getSlotAccount,
  'GET /api/wallet/resetpassword/{slotCode}': game.resetSlotPassword,
  'GET /api/autoLogin/{provider}/{username}': game.autoLogin,
  'GET /api/autoLogin/{provider}/{username}/{password}': game.autoLoginWithPassword,
  'PUT /api/wallet/favourite/{slotCode}': game.addFavourite,
  'DELETE /api/wallet/favourite/{slotCode}': game.removeFavourite,
  'POST /api/wallet/transfer': transfer.transfer,
  'POST /api/wallet/transferAll': transfer.transferAll,
  'POST /api/wallet/withdraw': withdraw.withdraw,
  'POST /api/wallet/withdrawAll': withdraw.withdrawAll,
  'GET /api/withdraw/advice': withdraw.withdrawAdvice,
  'GET /api/qrcode/{bankCode}': qrcode.getQrcode,
  'POST /api/qrcode/{bankCode}': qrcode.createQrcode,
  'DELETE /api/qrcode/{qrcodeId}': qrcode.cancelQrcode,
  'GET /api/deposit/advice': advice.depositAdvice,
  'GET /api/deposit/bonuses': bonus.listDepositBonuses,
  'POST /api/wallet/add': bankTransfer.addDeposit,
  'GET /api/wallet/add/{reference}': bankTransfer.getDepositAnnouncement,
  'POST /api/statement': statement.listStatement,
  'GET /api/pending': timeline.listPending,
  'GET /api/money/{key}': timeline.getTimeline,
  'POST /api/statement/export': statement.exportStatement,
  'GET /api/statement/export/{id}': statement.getStatementExport,
  'POST /api/notices': notification.listNotices,
  'POST /api/notices/read': notification.readNotices,
  'GET /api/push/key': notification.getPushKey,
  'GET /api/push/subscription': notification.getPushSubscription,
  'PUT /api/push/subscription': notification.subscribeToPush,
  'DELETE /api/push/subscription': notification.unsubscribeFromPush,
  'POST /api/wallet/slip': slip.uploadSlip,
  'POST /api/wallet/truelink': truelink.redeemTruelink,
  'POST /api/statement/slip': slip.listSlips,
  'GET /api/statement/slip/reference/{reference}': slip.getSlipPicture,
  'GET /api/bonus': bonus.listBonuses,
  'GET /api/bonus/activate/{code}': bonus.activateBonus,
  'GET /api/bonus/check/active': bonus.checkActiveBonus,
  'GET /api/bonus/check/minimum': bonus.checkBonusMinimum,
  'GET /api/bonus/ended': bonus.listEnded,
  'GET /api/bonus/clear': bonus.clearBonus,
  'GET /api/bonus/requirements/{code}': bonus.bonusRequirements,
  'POST /api/bonus/clear': bonus.cancelCondition,
  'GET /api/promotion/find/{code}': bonus.findPromotion,
  'GET /api/promotion/activate/{code}': bonus.activatePromotion,
  'GET /api/promotion/current': bonus.currentPromotion,
  'POST /api/refund': refund.listRefunds,
  'GET /api/refund/check': refund.checkRefund,
  'GET /api/refund/receive': refund.receiveRefund,
  'GET /api/refund/addWallet': refund.addRefundToWallet,
  'GET /api/refund/banners': refund.refundBanners,
  'GET /api/invite/inviter/{code}': invite.findInviter,
  'POST /api/invite': invite.listInvites,
  'GET /api/invite/bonus': invite.receiveInviteBonus,
  'GET /api/invite/banners': invite.inviteBanners,
  'GET /api/spinwheel/active': spinwheel.spinwheelActive,
  'GET /api/spinwheel/setup': spinwheel.spinwheelSetup,
  'POST /api/spinwheel/spin': spinwheel.spin,
  'GET /api/spinwheel/coupon': spinwheel.listCoupons,
  'POST /api/spinwheel/coupon/claim': spinwheel.claimCoupon,
  'POST /api/spinwheel/spins': spinwheel.listSpins,
  'POST /api/spinwheel/seed': spinwheel.rotateSeed,
  'GET /api/chat/config': chat.chatConfig,
  'POST /api/chat/send-message': chat.sendChatMessage,
  'POST /api/chat/history': chat.listChatHistory,
  'POST /api/chat/upload-image': chat.uploadChatImage,
  'POST /api/chat/upload-video': chat.uploadChatVideo,
  'PUT /api/chat/read-customer/': chat.readChat,
} as const;

export type Endpoints = typeof endpoints;
export type EndpointName = keyof Endpoints;
