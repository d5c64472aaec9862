/** Words of one language that no page needs at first: a file of their own, loaded on demand. */
export { default as lobby } from '../th/lobby.json' with { type: 'json' };
export { default as money } from '../th/money.json' with { type: 'json' };
export { default as install } from '../th/install.json' with { type: 'json' };
export { default as push } from '../th/push.json' with { type: 'json' };
