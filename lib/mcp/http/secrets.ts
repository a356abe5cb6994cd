import { checkName, isRecord, refuse } from '../../errors/check.js';
import { ConfigurationError } from '../../errors/configuration-error.js';
import { isLoopback } from '../hosts/addresses.js';
import { matches, parseHostRule, type HostRule } from '../hosts/host-rule.js';
import { TargetRefusedError } from '../hosts/target.js';
import type { SecretNames } from './secret-names.js';

interface Secret {
  readonly rule: HostRule;
  readonly name: string;
  readonly variable: string;
  readonly value: string;
}

/** Shorter ones cannot be told from other text. */
const SHORTEST = 6;

/** Values that are added to requests on their way out, and taken out of whatever comes back. */
export class Secrets {
  private readonly headers: readonly Secret[];
  private readonly parameters: readonly Secret[];
  private readonly marks: readonly { readonly text: string; readonly mark: string }[];

  /** @throws {ConfigurationError} for a host that is none, or a variable that is not set or too short. */
  constructor(
    headers: SecretNames,
    parameters: SecretNames,
    environment: Readonly<Record<string, string | undefined>>,
  ) {
    this.headers = read('secretHeaders', headers, environment);
    this.parameters = read('secretParameters', parameters, environment);
    this.marks = [...this.headers, ...this.parameters]
      .flatMap(({ value, variable }) =>
        formsOf(value).map((text) => ({ text, mark: `[secret ${variable}]` })),
      )
      .sort((one, other) => other.text.length - one.text.length);
  }

  /** How many letters of a body a secret may reach over the place where it is cut. */
  get longest(): number {
    return this.marks[0]?.text.length ?? 0;
  }

  /**
   * The URL and the headers as they go out.
   * @throws {TargetRefusedError} where a secret would go over the network in clear.
   */
  apply(url: URL, headers: Record<string, string>): URL {
    const ofHeaders = this.headers.filter(({ rule }) => matches(rule, url));
    const ofQuery = this.parameters.filter(({ rule }) => matches(rule, url));
    if (ofHeaders.length + ofQuery.length === 0) return url;
    if (url.protocol === 'http:' && !isLoopback(url.hostname))
      throw new TargetRefusedError(
        `a secret is sent to ${url.host} by https only; write the URL with https:`,
      );
    for (const { name, value } of ofHeaders) headers[name.toLowerCase()] = value;
    const target = new URL(url);
    for (const { name, value } of ofQuery) target.searchParams.set(name, value);
    return target;
  }

  /** The text with each secret, in the forms that servers echo, replaced by the name of its variable. */
  readonly redact = (text: string): string => {
    let clean = text;
    for (const { text: secret, mark } of this.marks) clean = clean.replaceAll(secret, mark);
    return clean;
  };
}

function read(
  option: string,
  names: SecretNames,
  environment: Readonly<Record<string, string | undefined>>,
): Secret[] {
  if (!isRecord(names)) refuse(option, names, 'give an object of hosts');
  return Object.entries(names).flatMap(([host, ofHost]) => {
    const rule = parseHostRule(option, host);
    if (!isRecord(ofHost)) refuse(`${option}['${host}']`, ofHost, 'give an object of names and variables');
    return Object.entries(ofHost).map(([name, variable]) => {
      checkName(`${option}['${host}'].${name}`, variable);
      return { rule, name, variable, value: valueOf(option, variable, environment[variable]) };
    });
  });
}

function valueOf(option: string, variable: string, value: string | undefined): string {
  const problem =
    value === undefined || value === ''
      ? 'is not set'
      : value.length < SHORTEST
        ? `is shorter than ${SHORTEST} letters`
        : // eslint-disable-next-line no-control-regex -- control characters are what it looks for
          /[\u0000-\u001f\u007f]/.test(value)
          ? 'holds line ends or control characters'
          : undefined;
  if (problem === undefined) return value as string;
  throw new ConfigurationError({
    option,
    problem: `names the environment variable ${variable}, which ${problem}`,
    cure: 'set it before the server starts, or leave the secret out',
  });
}

/** As it is, its parts (`Bearer <token>`), and each as JSON, a URL or a form would write it. */
function formsOf(value: string): string[] {
  const parts = [value, ...value.split(' ')].filter((part) => part.length >= SHORTEST);
  const forms = parts.flatMap((part) => [
    part,
    JSON.stringify(part).slice(1, -1),
    encodeURIComponent(part),
    new URLSearchParams({ '': part }).toString().slice(1),
    Buffer.from(part).toString('base64'),
  ]);
  return [...new Set(forms)];
}
