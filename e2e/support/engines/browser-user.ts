import { expect } from '@playwright/test';
import type { BrowserEngine } from './engine.ts';

/** Timeout of one user action, including calls and animations. */
const STEP_MS = 30_000;

type ElementRole = 'button' | 'link' | 'field';
type ElementPoint = { x: number; y: number };

/** Finds a visible element by role and name, in the topmost dialog if one is open. Runs in the page. */
function findElement(role: ElementRole, name: string, isPrefix: boolean): HTMLElement | undefined {
  const ROLE_SELECTORS = { button: 'button, summary', link: 'a[href]', field: 'input, select, textarea' };
  const scope = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document;
  const textOf = (element: Element | null | undefined): string =>
    element instanceof HTMLElement ? element.innerText.replaceAll(/\s+/g, ' ').trim() : '';
  const nameOf = (element: HTMLElement): string => {
    const label = element.getAttribute('aria-label');
    if (label) return label;
    const labelElements = (element as HTMLInputElement).labels;
    const labelledBy = element.getAttribute('aria-labelledby');
    if (labelledBy)
      return labelledBy
        .split(' ')
        .map((id) => textOf(document.getElementById(id)))
        .join(' ');
    return textOf(labelElements?.[0] ?? element);
  };
  return [...scope.querySelectorAll<HTMLElement>(ROLE_SELECTORS[role])].find((element) => {
    const ownName = nameOf(element);
    return (isPrefix ? ownName.startsWith(name) : ownName === name) && element.getClientRects().length > 0;
  });
}

/** The centre of the element, once it doesn't move, is enabled and is not covered. Runs in the page. */
async function pointOf(element: HTMLElement | undefined): Promise<ElementPoint | null> {
  if (!element || element.matches(':disabled')) return null;
  element.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
  const centrePoint = (): ElementPoint => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return { x: Math.round(x + width / 2), y: Math.round(y + height / 2) };
  };
  const before = centrePoint();
  for (let frame = 0; frame < 3; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
  const { x, y } = centrePoint();
  const top = document.elementFromPoint(x, y);
  const isOnTop = top !== null && (element.contains(top) || top.contains(element));
  return isOnTop && before.x === x && before.y === y ? { x, y } : null;
}

/** Expression that finds an element. */
const findExpression = (role: ElementRole, name: string, isPrefix = false): string =>
  `(${String(findElement)})(${JSON.stringify(role)}, ${JSON.stringify(name)}, ${isPrefix})`;
const fieldExpression = (label: string): string => findExpression('field', label);

/** User actions by pointer and keyboard, in any browser engine. */
export class BrowserUser {
  readonly engine: BrowserEngine;

  constructor(engine: BrowserEngine) {
    this.engine = engine;
  }

  /** Presses a button or follows a link. @param isPrefix matches the first element whose name starts with `name` */
  async pressElement(role: 'button' | 'link', name: string, isPrefix = false): Promise<void> {
    await this.pressSpot(findExpression(role, name, isPrefix), `${role} ${name}`);
  }

  /** Presses the element of a selector. */
  pressAt(selector: string): Promise<void> {
    return this.pressSpot(`document.querySelector(${JSON.stringify(selector)}) ?? undefined`, selector);
  }

  /** Types into an empty field. ASCII characters only, for which every driver has keys. */
  async write(label: string, text: string): Promise<void> {
    await this.type(label, text);
    // Fields group the digits of amounts and accounts.
    const plainValue = (value: string | null): string => (value ?? '').replaceAll(/[\s,-]/g, '');
    const value = async (): Promise<string> =>
      plainValue(await this.engine.evaluate(`${fieldExpression(label)}?.value`));
    await expect.poll(value, { message: label, timeout: STEP_MS }).toBe(plainValue(text));
  }

  /** Like `write`, for a field that disappears once it is complete. */
  async type(label: string, text: string): Promise<void> {
    await this.pressSpot(fieldExpression(label), label);
    const actions = Array.from(text).flatMap((value) => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ]);
    await this.engine.perform([{ type: 'key', id: 'keys', actions }]);
  }

  /** Chooses from a list, which the platform draws outside of the page. @param value default: the first real option */
  async choose(label: string, value?: string): Promise<void> {
    const chooseExpression = `((list) => {
      const value = ${JSON.stringify(value ?? null)} ?? [...(list?.options ?? [])].find((option) => option.value !== '')?.value;
      if (!list || ![...list.options].some((option) => option.value === value)) return null;
      list.value = value;
      list.dispatchEvent(new Event('change', { bubbles: true }));
      return list.value;
    })(${fieldExpression(label)})`;
    await expect.poll(() => this.engine.evaluate(chooseExpression), { message: label, timeout: STEP_MS }).toBeTruthy();
  }

  /** Waits until a text is to be read on the page. */
  async see(text: string): Promise<void> {
    const hasTextExpression = `document.body.innerText.includes(${JSON.stringify(text)})`;
    await expect.poll(() => this.engine.evaluate(hasTextExpression), { message: text, timeout: STEP_MS }).toBe(true);
  }

  /** Waits until an expression in the page has this value. */
  async waitForValue<T>(expression: string, value: T): Promise<void> {
    await expect.poll(() => this.engine.evaluate(expression), { message: expression, timeout: STEP_MS }).toEqual(value);
  }

  private async pressSpot(element: string, description: string): Promise<void> {
    let foundPoint: ElementPoint | null = null;
    const findPoint = async (): Promise<boolean> => {
      foundPoint = await this.engine.evaluate<ElementPoint | null>(`(${String(pointOf)})(${element})`);
      return foundPoint !== null;
    };
    await expect.poll(findPoint, { message: description, timeout: STEP_MS }).toBe(true);
    const { x, y } = foundPoint as unknown as ElementPoint;
    const actions = [
      { type: 'pointerMove', x, y, duration: 0 },
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ];
    await this.engine.perform([{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions }]);
  }
}
