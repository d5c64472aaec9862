const SVG = 'http://www.w3.org/2000/svg';

/** What shall stand on the page: a tag, its attributes (`key`, `style` as an object, `value`), and what is in it. */
export function h(tag, props, ...children) {
  return { tag, props: props ?? {}, children: children.flat(3).filter((child) => child || child === 0) };
}

/**
 * Makes a node hold exactly these children, keeping what is there: a button that is being pressed stays the same button,
 * and animations continue. Children with a `key` are matched at any position.
 */
export function patch(parent, children) {
  const left = new Set(parent.childNodes);
  const keyed = new Map([...left].filter((node) => node.key !== undefined).map((node) => [node.key, node]));
  const unkeyed = [...left].filter((node) => node.key === undefined);
  let place = parent.firstChild;
  for (const child of children) {
    const known = child.props?.key === undefined ? takeAlike(unkeyed, child) : keyed.get(child.props.key);
    const node = known ?? make(child, parent);
    left.delete(node);
    fill(node, child);
    if (node === place) place = node.nextSibling;
    else parent.insertBefore(node, place);
  }
  for (const node of left) node.remove();
}

function takeAlike(nodes, child) {
  const tag = child.tag ?? '#text';
  const index = nodes.findIndex((node) => node.nodeName.toLowerCase() === tag.toLowerCase());
  return index === -1 ? undefined : nodes.splice(index, 1)[0];
}

function make(child, parent) {
  if (!child.tag) return document.createTextNode('');
  const isSvg = child.tag === 'svg' || (parent.namespaceURI === SVG && parent.nodeName !== 'foreignObject');
  const node = isSvg ? document.createElementNS(SVG, child.tag) : document.createElement(child.tag);
  if (child.props.key !== undefined) node.key = child.props.key;
  return node;
}

function fill(node, child) {
  if (!child.tag) {
    if (node.data !== String(child)) node.data = String(child);
    return;
  }
  setProps(node, child.props);
  patch(node, child.children);
}

function setProps(node, { key: _key, style, value, ...attributes }) {
  for (const name of node.getAttributeNames()) {
    if (name !== 'style' && !isSet(attributes[name])) node.removeAttribute(name);
  }
  for (const [name, set] of Object.entries(attributes)) {
    const text = set === true ? '' : String(set);
    if (isSet(set) && node.getAttribute(name) !== text) node.setAttribute(name, text);
  }
  // Through the object model: the policy of the page forbids style attributes.
  for (const [name, set] of Object.entries(style ?? {})) node.style.setProperty(name, set);
  if (value !== undefined && node.value !== value) node.value = value;
}

function isSet(value) {
  return value !== undefined && value !== null && value !== false;
}
