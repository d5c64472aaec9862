import { z } from 'zod';
import { callOutside, OutboundFailure, type OutboundReply } from '../platform/http/outbound.ts';
import { parseJson } from '../platform/json.ts';
import { section } from './outside-fields.ts';
import { outsideText } from './outside-text.ts';
import { failedProbe, type Probe, type ProbeOutcome } from './probe.ts';

/** Sends text messages to phones. */
export type SmsSender = {
  /**
   * Sends one message. Never throws on failures of the gateway.
   * @param phone as stored, digits without country code
   * @param key names the message: a gateway that knows such keys sends a repeated one once
   * @returns sent: the gateway accepted the message · otherwise the reason; after `unknown` the message may still
   *   arrive
   */
  send(phone: string, text: string, key?: string): Promise<SmsOutcome>;
  /** Reads the remaining credit. */
  probe?: Probe;
};

/** `isFinal`: the gateway sends this message to this phone never. */
export type SmsOutcome = { sent: true } | { sent: false; reason: string; isFinal: boolean };

/** Section `sms` of the outside file. */
export const smsSettings = z
  .object({
    url: z
      .url({ protocol: /^https?$/ })
      .meta({ description: 'Address of its API, to which `/sms` and `/credit` are added' }),
    key: z.string().min(1).meta({ description: 'Key of Basic authentication' }),
    secret: z.string().min(1).meta({ description: 'Secret of Basic authentication' }),
    sender: z
      .string()
      .min(1)
      .max(11)
      .meta({
        description: 'Sender on the phone, registered with the gateway, at most 11 characters',
        examples: ['EXAMPLE'],
      }),
    timeoutMs: z
      .int()
      .min(100)
      .max(60_000)
      .default(10_000)
      .meta({ description: 'Longest wait for a reply, in ms; 10000 if it is left out', examples: [10_000] }),
  })
  .meta(
    section(
      'SMS gateway of codes and of messages about changed access. The start needs it unless `setting:registerOTP` is false.',
    ),
  );
export type SmsSettings = z.output<typeof smsSettings>;

const CREATED_STATUS = 201;
const OK_STATUS = 200;
const FINAL_REFUSALS = ['ERROR_MSISDN_INVALID', 'ERROR_MESSAGE_INVALID'];
const acceptedReply = z.object({ phone_number_list: z.array(z.object({ message_id: z.unknown() })).min(1) });
const refusedReply = z.object({ error: z.object({ name: outsideText(64) }) });
const creditCount = z.number().default(0);
/** One number, or one for each kind of credit. */
const creditReply = z.object({
  remaining_credit: z.union([z.number(), z.object({ standard: creditCount, corporate: creditCount })]),
});

/** A gateway that takes a form with Basic authentication and reports acceptance per phone number. */
export function bulkSms(settings: SmsSettings): SmsSender {
  const authorization = `Basic ${Buffer.from(`${settings.key}:${settings.secret}`).toString('base64')}`;
  return {
    async send(phone, text, key) {
      try {
        const reply = await callOutside({
          method: 'POST',
          url: `${settings.url}/sms`,
          headers: {
            authorization,
            'content-type': 'application/x-www-form-urlencoded',
            accept: 'application/json',
            ...(key !== undefined && { 'idempotency-key': key }),
          },
          body: new URLSearchParams({
            msisdn: toDialledNumber(phone),
            message: text,
            sender: settings.sender,
          }).toString(),
          timeoutMs: settings.timeoutMs,
        });
        return outcomeOf(reply);
      } catch (error) {
        if (error instanceof OutboundFailure) {
          return { sent: false, reason: `${error.outcome}: ${error.message}`, isFinal: false };
        }
        throw error;
      }
    },
    async probe() {
      try {
        const { timeoutMs, url } = settings;
        const headers = { authorization, accept: 'application/json' };
        return readCredit(await callOutside({ method: 'GET', url: `${url}/credit`, headers, timeoutMs }));
      } catch (error) {
        if (error instanceof OutboundFailure) return failedProbe(error.message);
        throw error;
      }
    },
  };
}

function readCredit(reply: OutboundReply): ProbeOutcome {
  const body = parseJson(reply.text);
  const parsedCredit = reply.status === OK_STATUS ? creditReply.safeParse(body).data : undefined;
  if (!parsedCredit) return failedProbe(refusalOf(reply, body));
  const { remaining_credit: remaining } = parsedCredit;
  const count = typeof remaining === 'number' ? remaining : remaining.standard + remaining.corporate;
  if (count <= 0) return failedProbe('no credit is left');
  return { outcome: 'proven', note: `${count} credits are left` };
}

/** Name of the gateway's error; undefined for another reply. */
const errorName = (body: unknown): string | undefined => refusedReply.safeParse(body).data?.error.name;

function refusalOf({ status }: OutboundReply, body: unknown): string {
  return errorName(body) ?? `unreadable reply, HTTP ${status}`;
}

/** Phone number in a form that gateways accept without a country setting. */
const toDialledNumber = (phone: string): string =>
  /^(?:20|030)/.test(phone) ? `+856${phone.replace(/^0/, '')}` : phone;

function outcomeOf(reply: OutboundReply): SmsOutcome {
  const body = parseJson(reply.text);
  if (reply.status === CREATED_STATUS && acceptedReply.safeParse(body).success) return { sent: true };
  return { sent: false, reason: refusalOf(reply, body), isFinal: FINAL_REFUSALS.includes(errorName(body) ?? '') };
}
