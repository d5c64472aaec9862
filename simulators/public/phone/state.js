import { WORDS } from './words/words.js';

const KEY = 'phone';
const read = () => {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}');
  } catch {
    return {};
  }
};

/** What this phone remembers: its number, its bank accounts, its language; what is open right now, and where links lead. */
export const state = {
  number: '',
  accounts: [],
  current: 0,
  language: 'th',
  ...read(),
  banks: [],
  payment: undefined,
  links: {},
};

/** Keeps what shall outlive a reload. */
export function keep() {
  const { number, accounts, current, language } = state;
  localStorage.setItem(KEY, JSON.stringify({ number, accounts, current, language }));
}

/** A word in the language of the phone. */
export const say = (key) => WORDS[state.language][key];

export const account = () => state.accounts[state.current];

export const bankOf = (code) =>
  state.banks.find((bank) => bank.code === code) ?? {
    code,
    nameTH: code,
    nameLA: code,
    nameEN: code,
    color: '#5a4a66',
  };

const BANK_NAME = { th: 'nameTH', la: 'nameLA', en: 'nameEN' };
export const bankName = (code) => bankOf(code)[BANK_NAME[state.language]];

/** `1234567.50` as `1,234,567.50`. */
export const money = (text) => text.replace(/\B(?=(\d{3})+(?=\.))/g, ',');

/** What an amount is in: the word for baht, the sign for kip. */
export const unit = (currency) => (currency === 'LAK' ? '₭' : say('baht'));

export const accountShown = (number) =>
  number.length === 10
    ? `${number.slice(0, 3)}-${number.slice(3, 4)}-${number.slice(4, 9)}-${number.slice(9)}`
    : number;

export const phoneShown = (number) =>
  /^0\d{9}$/.test(number) ? `${number.slice(0, 3)}-${number.slice(3, 6)}-${number.slice(6)}` : number;

/** Calls the outside. Throws an error whose `code` is the outside's word for it, or `offline`. */
export async function call(method, path, body) {
  let response;
  try {
    const options =
      body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    response = await fetch(path, { method, ...options, signal: AbortSignal.timeout(20_000) });
  } catch (error) {
    throw Object.assign(new Error('offline'), { code: error.name === 'TimeoutError' ? 'silent' : 'offline' });
  }
  const answer = await response.json().catch(() => undefined);
  if (response.ok && answer !== undefined) return answer;
  throw Object.assign(new Error('refused'), { code: answer?.error ?? 'silent' });
}

/** The words for a failed call. */
export const wordsFor = (error) =>
  error.code === 'silent' ? say('payUnknown') : (say('errors')[error.code] ?? say('errors').offline);
