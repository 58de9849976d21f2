#!/bin/sh
# Makes deploy/.env, from which Docker Compose fills in deploy/compose.yaml: random secrets, readable by you alone.
#   sh deploy/make-env.sh
# A file that is there is never touched: its secrets are those of your database. Keep a copy apart from your backups.
set -eu
umask 077
file=$(dirname "$0")/.env

random() {
  head -c "$1" /dev/urandom | base64 | tr -d '\n'
}

master_key=$(random 32)
# In a URL: no base64 with / and +.
password=$(head -c 24 /dev/urandom | od -An -v -tx1 | tr -d ' \n')

# With noclobber a redirection fails where the file exists.
if ! (set -C && : > "$file") 2>/dev/null; then
  echo "$file exists already, or its folder can't be written; nothing was changed" >&2
  exit 1
fi
cat > "$file" <<END
# Encrypts the stored provider credentials. Who loses it loses them.
BYWAY_MASTER_KEY=$master_key
# Of the database in the volume, which keeps the password of its first start.
POSTGRES_PASSWORD=$password
# Processes that serve; one for each processor is a good start.
BYWAY_WORKERS=2
# Any variable of docs/operations.md takes effect here, such as BYWAY_BILLING=off or HTTPS_PROXY.
# 1 lets provider keys name private addresses, such as http://host.docker.internal:11434/v1 for a model server on this machine.
BYWAY_ALLOW_PRIVATE_UPSTREAMS=0
END
echo "$file: made"
