/** The words of one language, one line per file. A new word gets its line here, in all three. */
export { default as agreement } from '../en/agreement.json' with { type: 'json' };
export { default as common } from '../en/common.json' with { type: 'json' };
export { default as contact } from '../en/contact.json' with { type: 'json' };
export { default as deposit } from '../en/deposit.json' with { type: 'json' };
export { default as errors } from '../en/errors.json' with { type: 'json' };
export { default as game } from '../en/game.json' with { type: 'json' };
export { default as home } from '../en/home.json' with { type: 'json' };
export { default as login } from '../en/login.json' with { type: 'json' };
export { default as parts } from '../en/parts.json' with { type: 'json' };
export { default as profile } from '../en/profile.json' with { type: 'json' };
export { default as register } from '../en/register.json' with { type: 'json' };
export { default as statement } from '../en/statement.json' with { type: 'json' };
export { default as transfer } from '../en/transfer.json' with { type: 'json' };
export { default as withdraw } from '../en/withdraw.json' with { type: 'json' };
