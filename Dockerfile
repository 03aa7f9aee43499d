# The service on Node's own image; PostgreSQL is a container of its own (docker-compose.yml).
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json ./
COPY scripts scripts
COPY prisma prisma
COPY api api
COPY src/console src/console
COPY clients/typescript clients/typescript
# With optional packages, because one is the esbuild of this machine.
RUN npm ci

FROM node:24-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data SITE_FILE=/app/src/site/local/container.yml
COPY package.json package-lock.json .npmrc ./
# Neither the Node nor the PostgreSQL of npm is needed here, nor the generators: their output is copied.
RUN npm ci --omit=dev --omit=optional --ignore-scripts && npm cache clean --force && mkdir /data && chown node:node /data
COPY api api
COPY prisma prisma
COPY src src
COPY workers workers
COPY docs docs
COPY README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md ./
COPY --from=build /app/src/generated src/generated
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["node", "-e", "fetch('http://127.0.0.1:8080/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--no-warnings", "--max-semi-space-size=16", "src/cli/planner.mjs", "serve"]
