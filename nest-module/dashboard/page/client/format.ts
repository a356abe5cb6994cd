/** Numbers for people. */
export const FORMAT = String.raw`
const NOTHING = '–';

/** @type {(value: number | null | undefined) => string} */
function seconds(value) {
  if (value === null || value === undefined) return NOTHING;
  if (value >= 100) return Math.round(value) + ' s';
  if (value >= 1) return value.toFixed(2) + ' s';
  if (value >= 0.001) return Math.round(value * 1000) + ' ms';
  return value > 0 ? '<1 ms' : '0 ms';
}

/** @type {(value: number | null | undefined) => string} */
function percent(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return NOTHING;
  if (value > 0 && value < 0.01) return '<1 %';
  if (value < 1 && value > 0.99) return '>99 %';
  return Math.round(value * 100) + ' %';
}

/** @type {(part: number, whole: number) => string} */
const share = (part, whole) => (whole === 0 ? NOTHING : percent(part / whole));

/** @type {(value: number) => string} */
const count = (value) => value.toLocaleString('en');

/** @type {(value: number) => string} */
const rate = (value) => (value >= 100 ? count(Math.round(value)) : value.toFixed(value >= 10 ? 1 : 2));

/** @type {(many: number, one: string) => string} */
const plural = (many, one) => count(many) + ' ' + one + (many === 1 ? '' : 's');

/** @type {(time: string | number) => string} */
const clock = (time) => new Date(time).toLocaleTimeString([], { hour12: false });

/** @type {(iso: string) => string} */
const moment = (iso) => new Date(iso).toLocaleString([], { hour12: false });

/** @type {(value: number) => string} */
function span(value) {
  const minutes = Math.floor(value / 60);
  if (minutes < 1) return Math.floor(value) + ' s';
  if (minutes < 60) return minutes + ' min';
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? hours + ' h ' + (minutes % 60) + ' min' : Math.floor(hours / 24) + ' days';
}

/** @type {Record<string, [kind: string, text: string]>} */
const STATUS = {
  succeeded: ['good', 'succeeded'],
  failed: ['bad', 'failed'],
  timed_out: ['warn', 'timed out'],
  cancelled: ['hold', 'cancelled'],
};

/** @type {(status: string) => [kind: string, text: string]} */
const statusOf = (status) => STATUS[status] ?? ['hold', status];
`;
