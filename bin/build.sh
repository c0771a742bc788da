# For the scripts that build what they run, after java.sh.
# Two builds of one checkout write the same files. The link names the process that builds.
begin_build() { # HOME
  local other refusal tries=0 said=''
  build_lock=$1/target/build.lock
  mkdir -p "$1/target"
  until refusal=$(ln -sn "$$" "$build_lock" 2>&1); do
    if ! other=$(readlink "$build_lock"); then
      # Whoever built may just have ended; it is no other reason for long.
      tries=$((tries + 1))
      [ "$tries" -lt 10 ] || fail "cannot note that it builds: $refusal; see that $1/target can be written, and remove $build_lock if it is there"
      sleep 0.1
      continue
    fi
    tries=0
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
