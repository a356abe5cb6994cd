# The MCP server: docker build -t relprim-mcp . && docker run -i --rm relprim-mcp --allow-host api.example.com
FROM node:22-alpine AS build
WORKDIR /src
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm pack --pack-destination /tmp

FROM node:22-alpine
WORKDIR /app
COPY --from=build /tmp/relprim-*.tgz /tmp/
RUN npm init -y > /dev/null && npm install --no-audit --no-fund /tmp/relprim-*.tgz @modelcontextprotocol/sdk@1 zod@4
USER node
ENTRYPOINT ["node", "/app/node_modules/relprim/dist/esm/lib/mcp/bin.js"]
