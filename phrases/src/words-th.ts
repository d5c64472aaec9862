/** The words of one language, one line per file. A new word gets its line here, in all three. */
export { default as agreement } from '../th/agreement.json' with { type: 'json' };
export { default as common } from '../th/common.json' with { type: 'json' };
export { default as contact } from '../th/contact.json' with { type: 'json' };
export { default as deposit } from '../th/deposit.json' with { type: 'json' };
export { default as errors } from '../th/errors.json' with { type: 'json' };
export { default as game } from '../th/game.json' with { type: 'json' };
export { default as home } from '../th/home.json' with { type: 'json' };
export { default as login } from '../th/login.json' with { type: 'json' };
export { default as parts } from '../th/parts.json' with { type: 'json' };
export { default as profile } from '../th/profile.json' with { type: 'json' };
export { default as register } from '../th/register.json' with { type: 'json' };
export { default as statement } from '../th/statement.json' with { type: 'json' };
export { default as transfer } from '../th/transfer.json' with { type: 'json' };
export { default as withdraw } from '../th/withdraw.json' with { type: 'json' };
