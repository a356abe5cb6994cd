export const HELP = `relprim-mcp: circuit breakers and reliable HTTP calls for agents, as an MCP server.

Usage: relprim-mcp --allow-host HOST [options]

It speaks MCP by stdin and stdout, unless --http is given.

Where calls may go
  --allow-host HOST           a host that may be called: api.example.com, *.example.com, 127.0.0.1:8080,
                              https://api.example.com. May be given many times. Without it no call is made.
  --allow-private             listed names may lead to private addresses

Secrets, which the agent never sees
  --secret-header HOST:HEADER=VARIABLE    sends a header with the value of an environment variable
  --secret-parameter HOST:NAME=VARIABLE   adds a parameter to the URL

What the agent may do
  --allow-control             adds the tools reset_breaker and force_breaker
  --max-breakers N            the most breakers; default 100
  --max-response-bytes N      how much of a body is read; default 1048576

Memory
  --history FILE              keeps reports in an SQLite file

Streamable HTTP instead of stdio
  --http HOST:PORT            listens there, at /mcp; 127.0.0.1:8765, or :8765 for the same
  --http-token VARIABLE       clients must send the value of this environment variable as a bearer token;
                              needed for addresses that others than this machine can reach
  --http-public-host HOST     a name that clients call this server by, beside the address

  --help, --version

It needs the MCP SDK: npm install relprim @modelcontextprotocol/sdk zod
`;

export const INSTALL = `relprim-mcp needs the MCP SDK, which is not installed here. Install it beside relprim:

  npm install @modelcontextprotocol/sdk zod
`;
