/** The words of one language, one line per file. A new word gets its line here, in all three. */
export { default as agreement } from '../la/agreement.json' with { type: 'json' };
export { default as common } from '../la/common.json' with { type: 'json' };
export { default as contact } from '../la/contact.json' with { type: 'json' };
export { default as deposit } from '../la/deposit.json' with { type: 'json' };
export { default as errors } from '../la/errors.json' with { type: 'json' };
export { default as game } from '../la/game.json' with { type: 'json' };
export { default as home } from '../la/home.json' with { type: 'json' };
export { default as login } from '../la/login.json' with { type: 'json' };
export { default as parts } from '../la/parts.json' with { type: 'json' };
export { default as profile } from '../la/profile.json' with { type: 'json' };
export { default as register } from '../la/register.json' with { type: 'json' };
export { default as statement } from '../la/statement.json' with { type: 'json' };
export { default as transfer } from '../la/transfer.json' with { type: 'json' };
export { default as withdraw } from '../la/withdraw.json' with { type: 'json' };
