#!/usr/bin/env bash
# Installs what the tests run against besides Python's packages: Debian's Chromium, curl, npm, a Java compiler, Redis and
# PostgreSQL. Does nothing where they are there.
set -euo pipefail
missing=()
command -v chromium-headless-shell >/dev/null || missing+=(chromium-headless-shell)
command -v curl >/dev/null || missing+=(curl)
command -v npm >/dev/null || missing+=(nodejs npm)
command -v javac >/dev/null || missing+=(default-jdk-headless)
command -v redis-server >/dev/null || missing+=(redis-server)
compgen -G "/usr/lib/postgresql/*/bin/initdb" >/dev/null || missing+=(postgresql)
[ ${#missing[@]} -eq 0 ] && exit 0
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}"
