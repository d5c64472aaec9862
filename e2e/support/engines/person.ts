import { expect } from '@playwright/test';
import type { Engine } from './engine.ts';

/** A step of a person may take so long: calls, and motion that it waits for. */
const STEP_MS = 30_000;

type Role = 'button' | 'link' | 'field';
type Spot = { x: number; y: number };

/** Runs in the page: finds what a person sees by its role and name, in the topmost dialog if one is open. */
function find(role: Role, name: string, isPrefix: boolean): HTMLElement | undefined {
  const selectors = { button: 'button, summary', link: 'a[href]', field: 'input, select, textarea' };
  const scope = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document;
  const textOf = (element: Element | null | undefined): string =>
    element instanceof HTMLElement ? element.innerText.replaceAll(/\s+/g, ' ').trim() : '';
  const nameOf = (element: HTMLElement): string => {
    const label = element.getAttribute('aria-label');
    if (label) return label;
    const labels = (element as HTMLInputElement).labels;
    const labelledBy = element.getAttribute('aria-labelledby');
    if (labelledBy)
      return labelledBy
        .split(' ')
        .map((id) => textOf(document.getElementById(id)))
        .join(' ');
    return textOf(labels?.[0] ?? element);
  };
  return [...scope.querySelectorAll<HTMLElement>(selectors[role])].find((element) => {
    const own = nameOf(element);
    return (isPrefix ? own.startsWith(name) : own === name) && element.getClientRects().length > 0;
  });
}

/** Runs in the page: the centre of the element, once it does not move, is enabled and is not covered. */
async function spotOf(element: HTMLElement | undefined): Promise<Spot | null> {
  if (!element || element.matches(':disabled')) return null;
  element.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
  const middle = (): Spot => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return { x: Math.round(x + width / 2), y: Math.round(y + height / 2) };
  };
  const before = middle();
  for (let frame = 0; frame < 3; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
  const { x, y } = middle();
  const top = document.elementFromPoint(x, y);
  const isOnTop = top !== null && (element.contains(top) || top.contains(element));
  return isOnTop && before.x === x && before.y === y ? { x, y } : null;
}

/** The expression that finds an element. */
const found = (role: Role, name: string, isPrefix = false): string =>
  `(${String(find)})(${JSON.stringify(role)}, ${JSON.stringify(name)}, ${isPrefix})`;
const fieldOf = (label: string): string => found('field', label);

/** Does what a person does, by pointer and keys, in any engine. */
export class EnginePerson {
  readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  /** Presses a button or follows a link. @param isPrefix takes the first whose name begins so */
  async press(role: 'button' | 'link', name: string, isPrefix = false): Promise<void> {
    await this.pressSpot(found(role, name, isPrefix), `${role} ${name}`);
  }

  /** Presses what a selector finds. */
  pressAt(selector: string): Promise<void> {
    return this.pressSpot(`document.querySelector(${JSON.stringify(selector)}) ?? undefined`, selector);
  }

  /** Writes into an empty field. Letters of ASCII alone, which every driver has keys for. */
  async write(label: string, text: string): Promise<void> {
    await this.type(label, text);
    // Fields group the digits of amounts and accounts.
    const bare = (value: string | null): string => (value ?? '').replaceAll(/[\s,-]/g, '');
    const value = async (): Promise<string> => bare(await this.engine.evaluate(`${fieldOf(label)}?.value`));
    await expect.poll(value, { message: label, timeout: STEP_MS }).toBe(bare(text));
  }

  /** As `write`, for a field that goes away once it is full. */
  async type(label: string, text: string): Promise<void> {
    await this.pressSpot(fieldOf(label), label);
    const actions = Array.from(text).flatMap((value) => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ]);
    await this.engine.perform([{ type: 'key', id: 'keys', actions }]);
  }

  /** Chooses from a list, which the platform draws outside of the page. @param value default: the first real option */
  async choose(label: string, value?: string): Promise<void> {
    const choosing = `((list) => {
      const value = ${JSON.stringify(value ?? null)} ?? [...(list?.options ?? [])].find((option) => option.value !== '')?.value;
      if (!list || ![...list.options].some((option) => option.value === value)) return null;
      list.value = value;
      list.dispatchEvent(new Event('change', { bubbles: true }));
      return list.value;
    })(${fieldOf(label)})`;
    await expect.poll(() => this.engine.evaluate(choosing), { message: label, timeout: STEP_MS }).toBeTruthy();
  }

  /** Waits until a text is to be read on the page. */
  async see(text: string): Promise<void> {
    const reading = `document.body.innerText.includes(${JSON.stringify(text)})`;
    await expect.poll(() => this.engine.evaluate(reading), { message: text, timeout: STEP_MS }).toBe(true);
  }

  /** Waits until an expression of the page has a value. */
  async until<T>(expression: string, value: T): Promise<void> {
    await expect.poll(() => this.engine.evaluate(expression), { message: expression, timeout: STEP_MS }).toEqual(value);
  }

  private async pressSpot(element: string, what: string): Promise<void> {
    let spot: Spot | null = null;
    const look = async (): Promise<boolean> => {
      spot = await this.engine.evaluate<Spot | null>(`(${String(spotOf)})(${element})`);
      return spot !== null;
    };
    await expect.poll(look, { message: what, timeout: STEP_MS }).toBe(true);
    const { x, y } = spot as unknown as Spot;
    const actions = [
      { type: 'pointerMove', x, y, duration: 0 },
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ];
    await this.engine.perform([{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions }]);
  }
}
