#!/usr/bin/env bash
# Rehearses a deployment on one machine and ends everything that it started: builds the image from the Dockerfile, starts
# what compose.yaml describes on a network of its own without any way out, goes to it through Caddy with TLS, ingests a
# file, asks a question, measures memory, and stops it. Exit code 0 only if all of it held.
#
#   apt-get install podman buildah runc debootstrap caddy iproute2
#   sudo deploy/rehearse.sh [--keep]        --keep: leave the image, for the next time
#
# Needs Linux, root and 8 GB of disk. Where the base image cannot be fetched, debootstrap makes its like. pip's index and
# certificates are those of the machine (PIP_INDEX_URL, PIP_FIND_LINKS, PIP_CERT). PostgreSQL is the one that the image
# brings for trials, prepared by deploy/postgres; no container has a network but the loopback.
set -euo pipefail
cd "$(dirname "$0")/.."
keep=${1:-}
say() { printf '\n== %s\n' "$*"; }
die() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }
for program in podman runc debootstrap caddy ip unshare curl; do
  command -v "$program" >/dev/null || die "$program is not installed; see the first lines of $0"
done

image=localhost/footnote:rehearsal
base=localhost/footnote-base:rehearsal
prefix=footnote-rehearsal
podman=(podman --runtime runc)
limits=(--network host --ulimit nofile=1024:4096 --ulimit nproc=4096:4096)

build() {
  work=$(mktemp --directory)
  trap 'rm -rf "$work"' EXIT
  local name volumes=() arguments=()
  name=$(sed -n 's/^ARG BASE=//p' Dockerfile)
  if ! podman image exists "$base"; then
    if podman pull --quiet "$name" >/dev/null 2>&1; then
      say "Base: $name"
      podman tag "$name" "$base"
    else
      say "Base: $name cannot be fetched; debootstrap makes a bare root in its place"
      debootstrap --variant=minbase "$(sed 's/.*:\([a-z]*\).*/\1/' <<<"$name")" "$work/root" >"$work/log" ||
        { tail "$work/log"; die "debootstrap"; }
      tar --directory "$work/root" --create . | podman import --quiet - "$base"
    fi
  fi
  { # pip's own configuration, for it cannot see the machine's variables
    echo "[global]"
    [[ -z ${PIP_INDEX_URL:-} ]] || echo "index-url = $PIP_INDEX_URL"
    [[ -z ${PIP_CERT:-} ]] || echo "cert = /rehearsal/ca.crt"
    [[ -z ${PIP_FIND_LINKS:-} ]] || echo "find-links = /rehearsal/wheels"
  } >"$work/pip.conf"
  volumes+=(--volume "$work/pip.conf:/etc/pip.conf:ro")
  [[ -z ${PIP_CERT:-} ]] || volumes+=(--volume "$PIP_CERT:/rehearsal/ca.crt:ro")
  [[ -z ${PIP_FIND_LINKS:-} ]] ||
    volumes+=(--volume "$PIP_FIND_LINKS:/rehearsal/wheels:ro") arguments+=(--build-arg PIP_EXTRA_INDEX_URL=)
  say "Building $image from the Dockerfile"
  "${podman[@]}" build --isolation oci --format docker --pull-never "${limits[@]}" "${volumes[@]}" "${arguments[@]}" \
    --build-arg "BASE=$base" --tag "$image" .
  podman image inspect --format '{{.Size}} bytes, user {{.Config.User}}, volumes {{.Config.Volumes}}' "$image"
}

# What podman is told of a service, from compose.yaml: one argument a line.
flags() { # flags SERVICE
  "${podman[@]}" run --rm --no-healthcheck --interactive --network none --ulimit nofile=1024:4096 --ulimit nproc=4096:4096 \
    --env-file "$work/.env" --volume "$PWD/compose.yaml:/compose.yaml:ro" "$image" python - "$1" <<'PYTHON'
import os, re, sys, yaml

def filled(text):
    text = re.sub(r"\$\{(\w+)(?::[?-]([^}]*))?\}", lambda m: os.environ.get(m[1]) or m[2] or "", text)
    return text.replace("$$", "$")

service = yaml.safe_load(open("/compose.yaml"))["services"][sys.argv[1]]
out = ["--read-only"] if service["read_only"] else []
out += [f"--tmpfs={path}" for path in service["tmpfs"]]
out += [f"--cap-drop={one}" for one in service["cap_drop"]]
out += [f"--security-opt={one.partition(':')[0]}" for one in service["security_opt"]]
out += [f"--volume=footnote-rehearsal-{one}" for one in service["volumes"]]
out += [f"--env={name}={filled(str(value))}" for name, value in service["environment"].items()]
if service.get("healthcheck"):
    out += ["--no-healthcheck"]
else:  # asked by hand below: podman's own times need systemd
    out += ["--health-interval=disable"]
print("\0".join([*out, "IMAGE", *map(filled, service["command"])]), end="\0")
PYTHON
}

start() { # start SERVICE OPTION...: as compose.yaml has it
  local service=$1 given
  shift
  mapfile -d '' -t given < <(flags "$service")
  local at=0
  while [[ ${given[at]} != IMAGE ]]; do at=$((at + 1)); done
  "${podman[@]}" run --name "$prefix-$service" "${limits[@]}" --add-host database:127.0.0.1 --init=false \
    --env-file "$work/footnote.env" "$@" "${given[@]:0:at}" "$image" "${given[@]:at+1}"
}

inside() { podman --runtime runc exec "$@"; }

wait_for() { # wait_for SECONDS WHAT COMMAND...
  local until=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < until)) || die "$what did not come about in time"
    sleep 1
  done
}

tidy() {
  for service in proxy web bot worker migrate database; do
    podman rm --force --time 20 "$prefix-$service" >/dev/null 2>&1 || true
  done
  podman volume rm --force "$prefix-originals" >/dev/null 2>&1 || true
  [[ -z ${caddy:-} ]] || kill "$caddy" 2>/dev/null || true
  rm -rf "$work"
}

memory() { # memory WHEN: RSS and PSS in MB of each service, all its processes together
  for service in web bot worker; do
    local pid rss=0 pss=0
    for pid in $(podman top "$prefix-$service" hpid | tail -n +2); do
      rss=$((rss + $(awk '/^Rss:/ {print $2}' "/proc/$pid/smaps_rollup")))
      pss=$((pss + $(awk '/^Pss:/ {print $2}' "/proc/$pid/smaps_rollup")))
    done
    local torch=no
    for pid in $(podman top "$prefix-$service" hpid | tail -n +2); do
      ! grep -q libtorch "/proc/$pid/maps" || torch=yes
    done
    printf '%-14s %-7s RSS %5d MB  PSS %5d MB  torch loaded: %s\n' "$1" "$service" $((rss / 1024)) $((pss / 1024)) $torch
  done
}

rest() { # rest METHOD PATH CURL-OPTION...: through the proxy, with TLS
  curl --silent --show-error --fail-with-body --cacert "$work/data/caddy/pki/authorities/local/root.crt" \
    --header "Authorization: Token $token" --request "$1" "https://localhost/api/v1/$2" "${@:3}"
}
field() { inside --interactive "$prefix-web" python -c "import json, sys; print(eval('it' + sys.argv[1], {'it': json.load(sys.stdin)}))" "$1"; }

rehearse() {
  work=$(mktemp --directory)
  trap tidy EXIT
  ip link set lo up
  for name in POSTGRES_PASSWORD OWNER_PASSWORD APP_PASSWORD; do
    sed -n "s/^$name=.*/$name=$(head -c 24 /dev/urandom | base64 | tr -d '+\/=')/p" deploy/compose.env.example
  done >"$work/.env"
  echo PUBLIC_HOST=localhost >>"$work/.env"
  sed "s/^SECRET_KEY=.*/SECRET_KEY=$(head -c 48 /dev/urandom | base64 | tr -d '+\/=')xyzABC/; /^SLACK_/d" \
    deploy/footnote.env.example >"$work/footnote.env"

  say "PostgreSQL, prepared by deploy/postgres"
  "${podman[@]}" run --detach --no-healthcheck --name "$prefix-database" "${limits[@]}" --tmpfs /data:mode=1777 --env-file "$work/.env" \
    --env POSTGRES_USER=postgres --env PGHOST=/tmp --volume "$PWD/deploy/postgres:/prepare:ro" "$image" sh -ec '
      PATH=$(dirname "$(find /opt/footnote/.venv -path "*/pginstall/bin/initdb")"):$PATH
      initdb --pgdata=/data/db --encoding=UTF8 --locale=C.UTF-8 --username=postgres --auth-local=trust --auth-host=scram-sha-256 >/dev/null
      pg_ctl --pgdata=/data/db --options="-c listen_addresses= -k /tmp" --wait start >/dev/null
      for file in /prepare/*; do sh "$file"; done
      pg_ctl --pgdata=/data/db --wait stop >/dev/null
      exec postgres -D /data/db -c listen_addresses=127.0.0.1 -k /tmp' >/dev/null
  wait_for 60 "PostgreSQL" bash -c '</dev/tcp/127.0.0.1/5432'

  say "migrate"
  start migrate | grep -v '^  Applying' || die "migrate"
  say "web, bot, worker"
  for service in web bot worker; do start "$service" --detach >/dev/null; done
  wait_for 60 "the health check of web" podman healthcheck run "$prefix-web"
  echo "The image's health check says that web is healthy."
  (cd "$work" && exec env PUBLIC_HOST=localhost WEB=127.0.0.1:8000 HOME="$work" XDG_DATA_HOME="$work/data" \
    XDG_CONFIG_HOME="$work/config" caddy run --config "$OLDPWD/deploy/Caddyfile" --adapter caddyfile >"$work/caddy.log" 2>&1) &
  caddy=$!
  wait_for 30 "Caddy" test -f "$work/data/caddy/pki/authorities/local/root.crt"
  token=none
  wait_for 30 "/livez through Caddy" rest GET ../../livez
  say "/readyz through Caddy, with TLS"
  rest GET ../../readyz | tee "$work/readyz" && echo
  [[ $(field "['status']" <"$work/readyz") == ok ]] || die "/readyz is not ok"
  [[ $(field "['ingestion']['holds']" <"$work/readyz") == True ]] || die "the sandbox does not hold in a container"
  ! rest GET ../../metrics >/dev/null 2>&1 || die "the proxy shows /metrics"

  say "What can be written to"
  for path in /opt/footnote /opt/footnote/.venv /srv/footnote /srv/footnote/staticfiles /etc /usr /var; do
    for service in web bot worker; do
      ! inside "$prefix-$service" sh -c "touch $path/x" 2>/dev/null || die "$service can write to $path"
    done
  done
  inside "$prefix-worker" sh -c 'touch /tmp/x /srv/footnote/originals/x && rm /tmp/x /srv/footnote/originals/x && id'
  grep -E '^(NoNewPrivs|Seccomp|CapEff)' "/proc/$(podman inspect --format '{{.State.Pid}}' "$prefix-worker")/status"

  say "Memory at rest: the worker has loaded its models"
  local worker
  worker=$(podman inspect --format '{{.State.Pid}}' "$prefix-worker")
  wait_for 120 "the worker's models" grep -q libtorch "/proc/$worker/maps"
  sleep 5
  memory "at rest"

  say "A person, a role, a file, a question"
  inside --env DJANGO_SUPERUSER_PASSWORD="$(head -c 18 /dev/urandom | base64)" "$prefix-web" \
    python manage.py createsuperuser --noinput --email dana@example.com
  token=$(inside "$prefix-web" python manage.py create_token dana@example.com --scope ask --scope ingest --scope grant |
    tail -n 1)
  local role job state answer
  role=$(rest POST roles --json '{"name": "staff", "description": "Everybody who works here"}' | field "['id']")
  rest POST "roles/$role/members" --json '{"give": ["dana@example.com"]}' >/dev/null
  inside "$prefix-worker" python manage.py ingest samples/handbook/expenses.html --collection Handbook --grant staff
  job=$(rest POST ingestion --form collection=Handbook --form roles=staff --form files=@samples/handbook/leave.md |
    field "['id']")
  for _ in {1..60}; do
    state=$(rest GET "ingestion/$job" | field "['state']")
    [[ $state == running || $state == queued ]] || break
    sleep 1
  done
  rest GET "ingestion/$job" && echo
  memory "after a file"
  answer=$(rest POST ask --json '{"question": "How many days of leave can be carried over?"}')
  field "['answer']" <<<"$answer"
  [[ $(field "['citations'][0]['quoted_excerpt']" <<<"$answer") == *"five days"* ]] || die "the answer has no such citation: $answer"
  for _ in {1..20}; do rest POST ask --json '{"question": "How many days of leave can be carried over?"}' >/dev/null; done
  memory "after answers"

  say "The end"
  for service in web bot worker; do
    podman stop --time 30 "$prefix-$service" >/dev/null
    local code
    code=$(podman inspect --format '{{.State.ExitCode}}' "$prefix-$service")
    echo "$service ended with $code"
    [[ $code == 0 ]] || { podman logs --tail 20 "$prefix-$service"; die "$service did not end in order"; }
  done
  say "All of it held."
}

if [[ $keep == --inside ]]; then
  rehearse
else
  [[ -z $keep || $keep == --keep ]] || die "what is $keep? See the first lines of $0"
  build
  unshare --net "$0" --inside
  [[ $keep == --keep ]] || podman rmi --force "$image" "$base" >/dev/null
fi
