#!/usr/bin/env bash
# Makes what docker-compose.yml mounts as secrets, in deploy/secrets, which is not under version control. What is there stays.
set -euo pipefail
cd -P "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"

random() {
  head -c 32 /dev/urandom | base64 | tr -d '=+/\n'
}

# Other users of this machine do not get into the directory; within a container only the file's own mode counts.
mkdir -p -m 0700 secrets
[ -s secrets/server-token ] || printf '%s' "$(random)" > secrets/server-token
[ -s secrets/server.properties ] || printf 'page.token.key=%s\n' "$(random)$(random)" > secrets/server.properties
[ -e secrets/connectors.properties ] || cat > secrets/connectors.properties << 'EOF'
# Secrets of connectors: registry=user:password is ${file:/run/secrets/connectors.properties:registry} in deploy/connectors/*.json.
EOF
chmod 0644 secrets/*
