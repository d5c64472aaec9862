/** Words of one language that no page needs at first: a file of their own, loaded on demand. */
export { default as lobby } from '../en/lobby.json' with { type: 'json' };
export { default as money } from '../en/money.json' with { type: 'json' };
export { default as install } from '../en/install.json' with { type: 'json' };
export { default as push } from '../en/push.json' with { type: 'json' };
