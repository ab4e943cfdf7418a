# Sourced by run, test, check and lock: makes .venv in the checkout from the pinned, hashed requirements.
# Needs only bash and a Python from 3.11 on that has venv and pip.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=$root/.venv

say() { printf 'erpbench set-up: %s\n' "$*" >&2; }

# Prints the path of the first Python that is new enough and can make a virtual environment. Every match on PATH is
# tried: the first of a name may be a version manager's shim that starts nothing.
find_python() {
  local name path
  for name in python3.13 python3.12 python3.11 python3 python; do
    while IFS= read -r path; do
      if "$path" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
        printf '%s\n' "$path"
        return 0
      fi
    done < <(type -aP "$name")
  done
  say "no Python from 3.11 on with venv and pip was found on PATH (tried python3.13, 3.12, 3.11, python3, python)."
  say "Install one (on Debian: python3 and python3-venv) and run this again."
  return 1
}

# The state that .venv must have been made from: this place, the pins and the project's own set-up.
wanted_state() {
  printf '%s\n' "$root"
  cksum < "$root/requirements/$1.txt"
  cksum < "$root/pyproject.toml"
}

is_ready() {
  [ -f "$venv/ready-$1" ] && [ "$(cat "$venv/ready-$1")" = "$(wanted_state "$1")" ] && "$venv/bin/python" -c '' 2>/dev/null
}

# $1: base (what a run needs) or dev (base and the gates). The marks are written last, so a set-up
# that was cut off is redone from nothing.
install_requirements() {
  if [ ! -f "$venv/ready-base" ] || ! "$venv/bin/python" -c '' 2>/dev/null; then
    local python
    python=$(find_python) || return 1
    say "making .venv with $("$python" --version)"
    "$python" -m venv --clear "$venv" || return 1
  fi
  rm -f "$venv"/ready-*
  say "installing requirements/$1.txt (once; it takes a minute or two)"
  local pip=("$venv/bin/python" -m pip install -qq --no-input --disable-pip-version-check)
  "${pip[@]}" --only-binary :all: --require-hashes -r "$root/requirements/$1.txt" || return 1
  "${pip[@]}" --no-index --no-deps --no-build-isolation -e "$root" || return 1
  if [ "$1" = dev ]; then
    wanted_state dev > "$venv/ready-dev"
  fi
  wanted_state base > "$venv/ready-base"
  say "done"
}

# Two set-ups in one checkout wait for each other where flock exists.
set_up() {
  is_ready "$1" && return 0
  (
    if command -v flock >/dev/null 2>&1; then
      exec 9> "$root/.venv-lock"
      flock 9
    fi
    is_ready "$1" || install_requirements "$1"
  ) < /dev/null || { say "failed; nothing was started. Run it again once the cause above is mended."; return 1; }
}
