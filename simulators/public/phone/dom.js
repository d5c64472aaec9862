/** Makes an element. Text children become text nodes, so nothing from outside can turn into markup. */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'tint') element.style.setProperty('--tint', value);
    else if (name in element && name !== 'list') element[name] = value;
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(
    ...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false),
  );
  return element;
}

const ICONS = {
  back: 'M15 5l-7 7 7 7',
  message:
    'M4 6.500A2.500 2.500 0 0 1 6.500 4h11A2.500 2.500 0 0 1 20 6.500v7a2.500 2.500 0 0 1-2.500 2.500H11l-5 4v-4a2 2 0 0 1-2-2z',
  scan: 'M4 8V5a1 1 0 0 1 1-1h3M16 4h3a1 1 0 0 1 1 1v3M20 16v3a1 1 0 0 1-1 1h-3M8 20H5a1 1 0 0 1-1-1v-3M8 8h3v3H8zM13 8h3v3h-3zM8 13h3v3H8zM13.500 13.500h2.500v2.500',
  transfer: 'M4 8h14l-4-4M20 16H6l4 4',
  cash: 'M3 7h18v10H3zM12 9.500a2.500 2.500 0 1 1 0 5 2.500 2.500 0 0 1 0-5M6 10v4M18 10v4',
  check: 'M5 12.500l4.500 4.500L19 7',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  picture: 'M4 5h16v14H4zM4 16l5-5 4 4 2-2 5 5M15.500 9.500h.01',
  paste: 'M8 5H6v15h12V5h-2M9 3h6v4H9zM9 12h6M9 16h4',
  plus: 'M12 5v14M5 12h14',
  out: 'M9 5H5v14h14v-4M13 5h6v6M19 5l-9 9',
  save: 'M12 4v11M7.500 11l4.500 4.500L16.500 11M5 20h14',
  bank: 'M4 9l8-5 8 5M5 20h14M6 10v7M10 10v7M14 10v7M18 10v7M4 17.500h16',
  down: 'M6 9l6 6 6-6',
  wallet:
    'M4 7.500A2.500 2.500 0 0 1 6.500 5H17v3M4 7.500V17a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2v-7a2 2 0 0 0-2-2H6.500M16 13.500h.01',
  gift: 'M4 9h16v4H4zM5.500 13v7h13v-7M12 9v11M12 9c-5 0-5-5-2.500-5S12 9 12 9c0 0 0-5 2.500-5S17 9 12 9',
};

/** A line icon of the phone's own set. */
export function icon(name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('class', 'glyph');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', ICONS[name]);
  svg.append(path);
  return svg;
}
