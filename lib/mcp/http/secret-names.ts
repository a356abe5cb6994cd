/** By host, then by the name of the header or of the parameter: the environment variable that holds the value. */
export type SecretNames = Readonly<Record<string, Readonly<Record<string, string>>>>;
