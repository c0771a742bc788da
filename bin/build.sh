# For the scripts that build what they run, after java.sh.
# Two builds of one checkout write the same files. The link names the process that builds.
begin_build() { # HOME
  local other said=''
  build_lock=$1/target/build.lock
  mkdir -p "$1/target"
  until ln -sn "$$" "$build_lock" 2> /dev/null; do
    [ -w "$1/target" ] || fail "$1/target cannot be written; give this user the directory, or use a checkout of its own"
    other=$(readlink "$build_lock") || continue
    if ! kill -0 "$other" 2> /dev/null; then
      rm -f "$build_lock"
      continue
    fi
    [ -n "$said" ] || echo "Waiting for process $other, which builds Indexview (if it does not, remove $build_lock) ..." >&2
    said=yes
    sleep 0.5
  done
  trap 'rm -f "$build_lock"' EXIT
}

end_build() {
  rm -f "$build_lock"
  trap - EXIT
}
