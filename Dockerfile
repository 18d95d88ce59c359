# The gateway as a container: built in one stage, run in a small one, as a user without rights. No Docker daemon was at hand when this was
# written, so it was never built; each step is what `npm pack` and a global install do, which CI runs.
#   docker build -t atrium . && docker run --rm -p 127.0.0.1:18790:18790 -v atrium:/home/node/.openclaw atrium
FROM node:22-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm pack --pack-destination /tmp

FROM node:22-bookworm-slim
COPY --from=build /tmp/atrium-*.tgz /tmp/
RUN npm install -g --omit=dev --no-audit --no-fund /tmp/atrium-*.tgz && rm -rf /tmp/atrium-*.tgz /root/.npm \
  && install -d -o node -g node -m 700 /home/node/.openclaw /home/node/workspaces
USER node
WORKDIR /home/node
VOLUME /home/node/.openclaw
EXPOSE 18790
# A container is reached from outside of its loopback, so the gateway listens on all addresses in it; publish the port on
# loopback of the host only. The token is in /home/node/.openclaw/atrium/token.
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD node -e "fetch('http://127.0.0.1:18790/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"
STOPSIGNAL SIGTERM
CMD ["atrium", "start", "--bind", "lan"]
