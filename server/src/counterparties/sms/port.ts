/** Sends text messages to phones. */
export type SmsSender = {
  /**
   * Sends one message. Never throws on failures of the gateway.
   * @param phone digits, national (`0812345678`) or international with `+`
   * @returns sent: the gateway has accepted it · else why not; after `unknown` it may still arrive
   */
  send(phone: string, text: string): Promise<SmsOutcome>;
};

export type SmsOutcome = { sent: true } | { sent: false; reason: string };
