/** How the page is changed: texts are only ever texts, and what has not changed is not touched. */
export const DOM = String.raw`
/** @type {<T extends HTMLElement>(id: string) => T} */
const at = (id) => /** @type {any} */ (document.getElementById(id));

/** @type {(tag: string, name?: string, text?: string) => HTMLElement} */
function el(tag, name, text) {
  const node = document.createElement(tag);
  if (name) node.className = name;
  if (text !== undefined) node.textContent = text;
  return node;
}

/** @type {(node: Element, text: string) => void} */
function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** @type {(node: HTMLElement, kind: string) => void} */
function kind(node, kind) {
  if (node.dataset.kind !== kind) node.dataset.kind = kind;
}

/** @type {(node: HTMLElement, share: number, kindOf: string) => void} */
function fill(node, share, kindOf) {
  const scale = 'scaleX(' + Math.max(0, Math.min(1, share)).toFixed(3) + ')';
  if (node.style.transform !== scale) node.style.transform = scale;
  kind(node, kindOf);
}

/** @type {WeakMap<Element, Map<string, { node: HTMLElement }>>} */
const drawn = new WeakMap();

/**
 * One part of the page for each thing, in the order of the things. Parts stay who they are, with their focus.
 * @type {<T, P extends { node: HTMLElement }>(parent: HTMLElement, things: T[], keyOf: (thing: T) => string,
 *   make: (thing: T) => P, update: (part: P, thing: T) => void) => void}
 */
function draw(parent, things, keyOf, make, update) {
  const known = drawn.get(parent) ?? new Map();
  const now = new Map();
  let next = parent.firstChild;
  for (const thing of things) {
    let key = keyOf(thing);
    while (now.has(key)) key += ' ';
    const part = known.get(key) ?? make(thing);
    now.set(key, part);
    update(part, thing);
    if (next !== null && part.node === next) next = next.nextSibling;
    else parent.insertBefore(part.node, next);
  }
  for (const [key, part] of known) if (!now.has(key)) part.node.remove();
  drawn.set(parent, now);
  const section = /** @type {HTMLElement} */ (parent.closest('section'));
  const none = /** @type {HTMLElement | null} */ (section.querySelector('.none'));
  if (none) none.hidden = things.length > 0;
  else if (things.length > 0) section.hidden = false;
}

/** @type {(parent: HTMLElement, count: number) => void} */
function omitted(parent, count) {
  const note = /** @type {HTMLElement} */ (/** @type {HTMLElement} */ (parent.closest('section')).querySelector('.omitted'));
  note.hidden = count === 0;
  say(note, count + ' more are not shown.');
}

/**
 * A line of a card; gives the place of its value.
 * @type {(list: HTMLElement, label: string) => HTMLElement}
 */
function fact(list, label) {
  const line = el('div', 'fact');
  const value = el('dd');
  line.append(el('dt', '', label), value);
  list.append(line);
  return value;
}

/** @type {(card: HTMLElement, name: string) => { pill: HTMLElement, facts: HTMLElement }} */
function cardParts(card, name) {
  const head = el('div', 'card-head');
  const title = el('h3', '', name);
  title.title = name;
  const pill = el('span', 'pill');
  const facts = el('dl');
  head.append(title, pill);
  card.append(head, facts);
  return { pill, facts };
}

/** @type {(node: HTMLElement, text: string) => void} */
function sayWhole(node, text) {
  say(node, text);
  if (node.title !== text) node.title = text;
}

/** @type {() => { track: HTMLElement, bar: HTMLElement }} */
function bar() {
  const track = el('div', 'bar');
  const inner = el('div', 'fill');
  track.append(inner);
  return { track, bar: inner };
}
`;
