import { languageAsked } from '../language.js';
import { WORDS } from './words.js';

/** What every part of the page needs: its language, its words, its elements, and the calls behind it. */

export const language = languageAsked();
export const words = WORDS[language];
export const find = (id) => document.getElementById(id);
export const made = (tag, className, text = '') =>
  Object.assign(document.createElement(tag), { className, textContent: text });

/** What a message says, in words; for one without, what it is. */
export const wordsOf = ({ message_type: type, payload }) =>
  payload.text || payload.title || payload.message || (type === 'media' ? words.file : `[${type}]`);

/** Calls the desk: to read without a body, to act with one. */
export async function call(path, body) {
  const response = await fetch(path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (!response.ok) throw new Error(String(response.status));
  return response.json();
}
