import type { ChatButton, ChatMessage } from '@krapao/contract/endpoints/chat';
import type { RewriteAddress } from '../../platform/http/caller/requested-host.ts';

/** A message with its addresses rewritten so that the reader can open them. */
export function withRewrittenUrls(said: ChatMessage, rewriteAddress: RewriteAddress): ChatMessage {
  return { ...said, message: withAddresses(said.message, rewriteAddress) };
}

function withAddresses(message: ChatMessage['message'], rewriteAddress: RewriteAddress): ChatMessage['message'] {
  if (message.message_type === 'media')
    return { ...message, payload: { ...message.payload, url: rewriteAddress(message.payload.url) } };
  if (message.message_type === 'buttons')
    return {
      ...message,
      payload: { ...message.payload, buttons: rewriteButtons(message.payload.buttons, rewriteAddress) },
    };
  if (message.message_type !== 'generic') return message;
  const elements = message.payload.elements.map(({ image_url: picture, buttons, ...element }) => ({
    ...element,
    image_url: rewriteAddress(picture),
    buttons: rewriteButtons(buttons, rewriteAddress),
  }));
  return { ...message, payload: { elements } };
}

const rewriteButtons = (buttons: readonly ChatButton[], rewriteAddress: RewriteAddress): ChatButton[] =>
  buttons.map((button) => (button.type === 'web' ? { ...button, url: rewriteAddress(button.url) } : button));
