import { checkName, isRecord, refuse } from '../../errors/check.js';
import { ConfigurationError } from '../../errors/configuration-error.js';
import { isLoopback } from '../hosts/addresses.js';
import { matches, parseHostRule, type HostRule } from '../hosts/host-rule.js';
import { TargetRefusedError } from '../hosts/target.js';
import { checkSecretHeader } from './request-headers.js';
import { formsOf, SHORTEST_SECRET } from './secret-forms.js';
import type { SecretNames } from './secret-names.js';

interface Secret {
  readonly rule: HostRule;
  readonly name: string;
  readonly variable: string;
  readonly value: string;
}

/** Values that are added to requests on their way out, and taken out of whatever comes back. */
export class Secrets {
  private readonly headers: readonly Secret[];
  private readonly parameters: readonly Secret[];
  /** By the form of a secret, in lower case, what stands in its place. */
  private readonly marks: ReadonlyMap<string, string>;
  private readonly pattern: RegExp | undefined;
  /** How many letters of a body a secret may reach over the place where it is cut. */
  readonly longest: number;

  /** @throws {ConfigurationError} for a host that is none, or a variable that is not set or too short. */
  constructor(
    headers: SecretNames,
    parameters: SecretNames,
    environment: Readonly<Record<string, string | undefined>>,
  ) {
    this.headers = read('secretHeaders', headers, environment);
    this.parameters = read('secretParameters', parameters, environment);
    for (const secret of this.headers) checkSecretHeader('secretHeaders', secret);
    this.marks = new Map(
      [...this.headers, ...this.parameters].flatMap(({ value, variable }) =>
        formsOf(value).map((form) => [form.toLowerCase(), `[secret ${variable}]`] as const),
      ),
    );
    // The longest first: a part of a secret must not hide the rest of it.
    const forms = [...this.marks.keys()].sort((one, other) => other.length - one.length);
    const pattern = forms.map((form) => form.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|');
    this.pattern = forms.length === 0 ? undefined : new RegExp(pattern, 'gi');
    this.longest = forms[0]?.length ?? 0;
  }

  /**
   * The URL and the headers as they go out. After redirects a secret goes along only when it is one of all the hosts on
   * the way: otherwise any of them could make the agent act in the name of its user somewhere else.
   * @throws {TargetRefusedError} where a secret would go over the network in clear.
   */
  apply(url: URL, headers: Record<string, string>, visited: readonly URL[] = []): URL {
    const belongs = ({ rule }: Secret): boolean => [url, ...visited].every((one) => matches(rule, one));
    const ofHeaders = this.headers.filter(belongs);
    const ofQuery = this.parameters.filter(belongs);
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
    if (this.pattern === undefined) return text;
    return text.replaceAll(this.pattern, (form) => this.marks.get(form.toLowerCase()) ?? '[secret]');
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
      : value.length < SHORTEST_SECRET
        ? `is shorter than ${SHORTEST_SECRET} letters`
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
