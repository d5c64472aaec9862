import type { ChatButton, ChatMessage } from '@krapao/contract/endpoints/chat';
import type { Told } from '../../platform/http/caller/asked-host.ts';

/** A message with its addresses as whoever reads it can open them. */
export function toldMessage(said: ChatMessage, told: Told): ChatMessage {
  return { ...said, message: withAddresses(said.message, told) };
}

function withAddresses(message: ChatMessage['message'], told: Told): ChatMessage['message'] {
  if (message.message_type === 'media')
    return { ...message, payload: { ...message.payload, url: told(message.payload.url) } };
  if (message.message_type === 'buttons')
    return { ...message, payload: { ...message.payload, buttons: toldButtons(message.payload.buttons, told) } };
  if (message.message_type !== 'generic') return message;
  const elements = message.payload.elements.map(({ image_url: picture, buttons, ...element }) => ({
    ...element,
    image_url: told(picture),
    buttons: toldButtons(buttons, told),
  }));
  return { ...message, payload: { elements } };
}

const toldButtons = (buttons: readonly ChatButton[], told: Told): ChatButton[] =>
  buttons.map((button) => (button.type === 'web' ? { ...button, url: told(button.url) } : button));
