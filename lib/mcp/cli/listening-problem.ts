/** What to do about an address where the command cannot listen; `undefined` for other errors. */
export function listeningProblem(
  error: unknown,
  { host, port }: { host?: string | undefined; port: number },
) {
  const { code, syscall } = (error ?? {}) as { code?: unknown; syscall?: unknown };
  const where = `--http: cannot listen at ${host ?? '127.0.0.1'}:${port}`;
  if (code === 'EADDRINUSE')
    return `${where}, as something listens there already; stop that, or give another port (0 for any free one)`;
  if (code === 'EACCES') return `${where}, as the system does not allow it; give a port above 1023`;
  if (code === 'EADDRNOTAVAIL' || syscall === 'getaddrinfo')
    return `${where}, which is no address of this machine; give 127.0.0.1, or one that it has`;
  return undefined;
}
