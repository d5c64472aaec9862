/** Words of one language that no page needs at first: a file of their own, loaded on demand. */
export { default as lobby } from '../la/lobby.json' with { type: 'json' };
export { default as money } from '../la/money.json' with { type: 'json' };
export { default as install } from '../la/install.json' with { type: 'json' };
export { default as push } from '../la/push.json' with { type: 'json' };
