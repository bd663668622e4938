# Countersign: gateway, worker or both, with a PostgreSQL of its own outside (DATABASE_URL). compose.yaml runs it.
FROM node:24-slim AS build
WORKDIR /build
# The dependencies first, so that a change of the source keeps this layer. What is optional are Node and PostgreSQL as packages.
COPY package.json package-lock.json ./
RUN npm ci --omit=optional --ignore-scripts --no-audit --no-fund
COPY . source
RUN node source/scripts/build.ts app
RUN npm prune --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

FROM node:24-slim
ENV NODE_ENV=production
ENV HOST=0.0.0.0
ENV COUNTERSIGN_HOME=/data
ENV COUNTERSIGN_NO_BROWSER=true
# The one folder that may be written to: npm keeps there what `npx` brings for MCP servers.
ENV HOME=/data
WORKDIR /data
COPY --from=build /build/node_modules /app/node_modules
COPY --from=build /build/app /app
RUN ln -s /app/bin/countersign.mjs /usr/local/bin/countersign && chown node:node /data
USER node
VOLUME /data
EXPOSE 3978
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s CMD ["node", "/app/bin/countersign.mjs", "health"]
ENTRYPOINT ["node", "/app/bin/countersign.mjs"]
CMD ["start"]
