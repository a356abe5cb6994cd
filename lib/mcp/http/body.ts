import type { IncomingHttpHeaders } from 'node:http';

/** The body of an answer, as far as it was read. */
export interface Body {
  readonly contentType: string;
  /** `null` where it is no text. */
  readonly text: string | null;
  /** How many bytes were read. */
  readonly bytes: number;
  /** Whether more came than is ever read. */
  readonly isCut: boolean;
}

const TEXT_TYPE =
  /^(?:text\/|application\/(?:[a-z0-9.+-]*\+)?(?:json|xml|yaml|javascript|graphql|x-ndjson|x-www-form-urlencoded)\b)/;
const TYPE = /^[a-z0-9!#$&^_.+-]{1,60}\/[a-z0-9!#$&^_.+-]{1,60}/;

/** Reads no more than `limit` bytes; then the connection is closed, whatever would still come. */
export async function readBytes(
  stream: AsyncIterable<Buffer>,
  limit: number,
): Promise<{ readonly bytes: Buffer; readonly isCut: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    size += chunk.length;
    // Leaving the loop destroys the stream.
    if (size > limit) break;
  }
  const bytes = Buffer.concat(chunks, Math.min(size, limit));
  return { bytes, isCut: size > limit };
}

export function makeBody(bytes: Buffer, isCut: boolean, headers: IncomingHttpHeaders): Body {
  const given = headers['content-type']?.toLowerCase() ?? '';
  const contentType = TYPE.exec(given)?.[0] ?? '';
  const isPlain = (headers['content-encoding'] ?? 'identity') === 'identity';
  const mayBeText = isPlain && (contentType === '' || TEXT_TYPE.test(contentType));
  const text = mayBeText ? decode(bytes, given, isCut) : null;
  return { contentType, text, bytes: bytes.length, isCut };
}

/** `null` for what calls itself text and is none. */
function decode(bytes: Buffer, contentType: string, isCut: boolean): string | null {
  const charset = /charset="?([a-z0-9_:.-]+)/.exec(contentType)?.[1] ?? 'utf-8';
  const decoder = decoderOf(charset);
  // A letter that was cut in two is left out.
  const text = decoder.decode(bytes, { stream: isCut });
  if (text.includes('\0')) return null;
  const wrong = text.split('\ufffd', 200).length - 1;
  return wrong > 10 && wrong > text.length / 20 ? null : text;
}

function decoderOf(charset: string): Pick<InstanceType<typeof TextDecoder>, 'decode'> {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
