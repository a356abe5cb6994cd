/** Shorter ones cannot be told from other text. */
export const SHORTEST_SECRET = 6;

/** Words in front of credentials, which are no secret. */
const SCHEMES = new Set(['apikey', 'basic', 'bearer', 'digest', 'negotiate', 'token']);

/** All texts by which a secret can be recognised when it is repeated, in whatever case: itself, its parts, and each as others write it. */
export function formsOf(value: string): readonly string[] {
  const forms = partsOf(value)
    .filter((part) => part.length >= SHORTEST_SECRET)
    .flatMap(formsOfPart);
  return [...new Set(forms)];
}

/** `Bearer <token>` is the token, too, and `Basic <user:password>` what is packed in it. */
function partsOf(value: string): readonly string[] {
  const [first = '', ...rest] = value.split(' ');
  const hasScheme = rest.length > 0 && SCHEMES.has(first.toLowerCase());
  const parts = hasScheme ? rest : [first, ...rest];
  if (!hasScheme || first.toLowerCase() !== 'basic') return [value, ...parts];
  const credentials = Buffer.from(rest.join(''), 'base64').toString();
  return [value, ...parts, credentials, credentials.slice(credentials.indexOf(':') + 1)];
}

function formsOfPart(part: string): readonly string[] {
  const json = JSON.stringify(part).slice(1, -1);
  return [
    part,
    json,
    // PHP and some of Java escape slashes; .NET and Go escape what HTML could misread.
    json.replaceAll('/', '\\/'),
    json.replaceAll(/[<>&'+`]/g, unicodeEscape),
    part.replaceAll(/[<>&]/g, entity),
    part.replaceAll(/[<>&"']/g, entity),
    encodeURIComponent(part),
    new URLSearchParams({ '': part }).toString().slice(1),
    Buffer.from(part).toString('hex'),
    ...base64Of(part),
  ];
}

function unicodeEscape(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&quot;',
  "'": '&#39;',
};

function entity(letter: string): string {
  return ENTITIES[letter] as string;
}

/** Alone, and in the middle of something longer: Base64 has three ways to write the same bytes, by where they begin. */
function base64Of(part: string): readonly string[] {
  const bytes = Buffer.from(part);
  const inside = [0, 1, 2].map((before) => {
    const packed = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    // Letters at the ends hold bits of the neighbours.
    return packed.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
  const forms = [bytes.toString('base64'), ...inside];
  const ofUrls = forms.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'));
  return [...forms, ...ofUrls].filter((form) => form.length >= SHORTEST_SECRET);
}
