import { words } from './desk.js';

/** A message of each kind, for trying out what the customer sees of it. @param site the operator's site, as messages name it */
export const samplesFor = (site) => ({
  quick_replies: () => ({
    text: words.ask,
    quick_replies: [{ title: words.yes, payload: 'done:yes' }, { title: words.no }],
  }),
  buttons: () => ({
    text: words.ask,
    buttons: [
      { type: 'web', title: words.howto, url: `${site}/howto` },
      { type: 'call', title: words.call, phone: '+66 2 000 0000' },
      { type: 'postback', title: words.done, payload: 'end' },
      { type: 'other', title: words.no },
    ],
  }),
  generic: () => ({
    elements: [1, 2, 3].map((count) => ({
      title: `${words.howto} ${count}`,
      subtitle: words.ask,
      image_url: `${location.origin}/assets/slot/${['deep', 'dice', 'cards'][count - 1]}.svg`,
      buttons: [{ type: 'other', title: words.yes }],
    })),
  }),
  media: () => ({ message: words.howto, url: `${location.origin}/assets/slot/naga.svg`, fileType: 'image' }),
});
