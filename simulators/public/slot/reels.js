/** Three reels of three cells: they turn until a result is there, then stop one after another on it. */
const SYMBOLS = 7;
const LOOP = 9;
const EXTRA = 12;
const STAGGER_MS = 260;

const still = matchMedia('(prefers-reduced-motion: reduce)');
const anySymbol = () => Math.floor(Math.random() * SYMBOLS);

function cell(symbol) {
  const box = document.createElement('div');
  box.className = 'cell';
  box.dataset.symbol = symbol;
  box.append(picture(symbol));
  return box;
}

/** A symbol of the sprite as a picture. */
export function picture(symbol) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 100 100');
  const use = document.createElementNS('http://www.w3.org/2000/svg', 'use');
  use.setAttribute('href', `#symbol-${symbol}`);
  svg.append(use);
  return svg;
}

export class Reels {
  #reels;
  #running = [];

  constructor(root) {
    this.#reels = [...root.querySelectorAll('.reel')].map((reel) => ({ reel, strip: reel.querySelector('.strip') }));
    new ResizeObserver(() => this.#size()).observe(root);
  }

  /** Shows nine cells, row by row, without turning. */
  show(cells) {
    for (const [column, { strip }] of this.#reels.entries()) {
      strip.replaceChildren(...[0, 1, 2].map((row) => cell(cells[row * 3 + column])));
    }
    this.#size();
  }

  /** Lets the reels turn until `stopOn`. */
  start() {
    if (still.matches) return;
    this.#running = this.#reels.map(({ strip }) => {
      const visible = [...strip.children].slice(0, 3).map((box) => Number(box.dataset.symbol));
      const filler = Array.from({ length: LOOP - 3 }, anySymbol);
      // The three that are seen stand at both ends, so that the loop has no seam.
      strip.replaceChildren(...[...visible, ...filler, ...visible].map(cell));
      this.#size();
      const height = this.#height(strip);
      return strip.animate([{ transform: `translateY(${-height * LOOP}px)` }, { transform: 'translateY(0)' }], {
        duration: 430,
        iterations: Infinity,
      });
    });
  }

  /** Stops on nine cells; resolves when the last reel stops. `hurry` ends it immediately. */
  async stopOn(cells) {
    if (still.matches) {
      this.show(cells);
      return;
    }
    const stops = this.#reels.map(({ strip }, column) => {
      const final = [0, 1, 2].map((row) => cells[row * 3 + column]);
      const count = EXTRA + column * 5;
      strip.replaceChildren(...[...final, ...Array.from({ length: count }, anySymbol)].map(cell));
      this.#size();
      this.#running[column]?.cancel();
      const height = this.#height(strip);
      const stop = strip.animate(
        [
          { transform: `translateY(${-height * (count - 3)}px)`, easing: 'cubic-bezier(.22,.6,.35,1)' },
          { transform: `translateY(${height * 0.16}px)`, offset: 0.86, easing: 'ease-out' },
          { transform: 'translateY(0)' },
        ],
        { duration: 620 + column * STAGGER_MS },
      );
      return stop;
    });
    this.#running = stops;
    await Promise.allSettled(stops.map((stop) => stop.finished));
    this.show(cells);
  }

  /** Lets stopping reels stand now. */
  hurry() {
    for (const animation of this.#running) if (animation.effect?.getTiming().iterations === 1) animation.finish();
  }

  /** Marks the cells that won. */
  mark(cellNumbers) {
    for (const [column, { strip }] of this.#reels.entries()) {
      for (const [row, box] of [...strip.children].entries())
        box.classList.toggle('hit', cellNumbers.has(row * 3 + column));
    }
  }

  #height(strip) {
    return strip.parentElement.clientHeight / 3;
  }

  #size() {
    for (const { strip } of this.#reels)
      for (const box of strip.children) box.style.height = `${this.#height(strip)}px`;
  }
}
