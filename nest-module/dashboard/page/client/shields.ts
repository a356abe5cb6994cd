/** The cards of shields, with their curves, and of concurrency limits. */
export const SHIELDS = String.raw`
const CURVE_SECONDS = 300;
const SVG = 'http://www.w3.org/2000/svg';

/** By the name of the shield: points of time, rate, timeout and budget. @type {Map<string, number[][]>} */
let curves = new Map();

/** @type {(name: string, at: number, shield: any) => void} */
function notePoint(name, at, { rate, timeout_seconds, budget }) {
  const points = curves.get(name) ?? [];
  if (points.at(-1)?.[0] === at) points.pop();
  points.push([at, rate, timeout_seconds, budget]);
  if (points.length > CURVE_SECONDS) points.shift();
  curves.set(name, points);
}

/** @type {(card: HTMLElement, label: string) => { path: SVGPathElement, value: HTMLElement }} */
function makeCurve(card, label) {
  const line = el('div', 'curve');
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 300 40');
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('aria-hidden', 'true');
  const path = /** @type {SVGPathElement} */ (document.createElementNS(SVG, 'path'));
  svg.append(path);
  const value = el('span');
  line.append(el('span', '', label), svg, value);
  card.append(line);
  return { path, value };
}

/** A gap where nobody has watched. @type {(points: number[][], index: number, now: number) => string} */
function curvePath(points, index, now) {
  const shown = points.filter((point) => now - (point[0] ?? 0) < CURVE_SECONDS);
  const most = Math.max(...shown.map((point) => point[index] ?? 0), 1e-9);
  let path = '';
  let last = -Infinity;
  for (const point of shown) {
    const time = point[0] ?? 0;
    const x = CURVE_SECONDS - (now - time);
    const y = 38 - (36 * (point[index] ?? 0)) / most;
    path += (time - last > 5 ? 'M' : 'L') + x.toFixed(0) + ' ' + y.toFixed(1);
    last = time;
  }
  return path;
}

/** @type {(shield: any) => any} */
function makeShield(shield) {
  const node = el('article', 'card');
  const { pill, facts } = cardParts(node, shield.name);
  const part = { node, pill, profile: fact(facts, 'Profile'), waiting: fact(facts, 'Waiting'), took: fact(facts, 'p50, p95'),
    used: fact(facts, 'Shields'), rate: makeCurve(node, 'Rate /s'), timeout: makeCurve(node, 'Timeout'), budget: makeCurve(node, 'Retries left') };
  return part;
}

/** @type {(part: any, shield: any) => void} */
function updateShield(part, shield) {
  say(part.pill, shield.engaged ? '▼ slowing' : '● at ease');
  kind(part.pill, shield.engaged ? 'warn' : 'good');
  say(part.profile, shield.profile + (shield.max_rate === null ? '' : ', at most ' + rate(shield.max_rate) + '/s'));
  say(part.waiting, plural(shield.waiting, 'call'));
  say(part.took, seconds(shield.p50_seconds) + ', ' + seconds(shield.p95_seconds));
  sayWhole(part.used, shield.operations.join(', ') || 'nothing of this application');
  say(part.rate.value, rate(shield.rate));
  say(part.timeout.value, seconds(shield.timeout_seconds));
  say(part.budget.value, Math.floor(shield.budget) + ' / ' + shield.budget_capacity);
  const points = curves.get(shield.name) ?? [];
  const now = points.at(-1)?.[0] ?? 0;
  [part.rate, part.timeout, part.budget].forEach((curve, index) => curve.path.setAttribute('d', curvePath(points, index + 1, now)));
}

/** @type {(shields: any[], at: string, omittedCount: number) => void} */
function drawShields(shields, time, omittedCount) {
  const now = Math.round(Date.parse(time) / 1000);
  for (const shield of shields) notePoint(shield.name, now, shield);
  draw(at('shields'), shields, (shield) => shield.name, makeShield, updateShield);
  omitted(at('shields'), omittedCount);
}

/** @type {(limit: any) => any} */
function makeLimit(limit) {
  const node = el('article', 'card');
  const { pill, facts } = cardParts(node, limit.name);
  const { track, bar: running } = bar();
  const part = { node, pill, running, runs: fact(facts, 'Running'), waits: fact(facts, 'Waiting'), refused: fact(facts, 'Refused so far'), used: fact(facts, 'Limits') };
  facts.before(track);
  return part;
}

/** @type {(part: any, limit: any) => void} */
function updateLimit(part, limit) {
  const isFull = limit.running >= limit.max_concurrent;
  say(part.pill, isFull ? '■ full' : '● has room');
  kind(part.pill, isFull ? 'warn' : 'good');
  fill(part.running, limit.running / limit.max_concurrent, isFull ? 'warn' : 'good');
  say(part.runs, limit.running + ' of ' + limit.max_concurrent);
  const longest = limit.max_wait_seconds === null ? '' : ', for at most ' + seconds(limit.max_wait_seconds);
  say(part.waits, limit.waiting + ' of ' + limit.queue_size + longest);
  say(part.refused, count(limit.refused));
  sayWhole(part.used, limit.operations.join(', ') || 'nothing of this application');
}

/** @type {(limits: any[], omittedCount: number) => void} */
function drawLimits(limits, omittedCount) {
  draw(at('limits'), limits, (limit) => limit.name, makeLimit, updateLimit);
  omitted(at('limits'), omittedCount);
}
`;
