# For the scripts of this directory: where the project lies, and which java to run. Expects "name" to be the script's.
oldest_java=17

# Where no locale is set, as by cron, Java would read each letter of arguments that is not ASCII as "?".
case "${LC_ALL:-${LC_CTYPE:-${LANG:-C}}}" in
  # Bash says so where there is no such locale; then all is as it was.
  C | POSIX) { export LC_ALL=C.UTF-8; } 2> /dev/null ;;
esac

fail() {
  echo "$name: $*" >&2
  exit 1
}

home_directory() {
  local path=$1 directory
  while [ -L "$path" ]; do
    directory=$(cd -P "$(dirname "$path")" && pwd)
    path=$(readlink "$path")
    [[ $path == /* ]] || path=$directory/$path
  done
  cd -P "$(dirname "$path")/.." && pwd
}

# A JDK says its version in a file; to start it for that takes longer than most commands.
java_version() {
  local release version=''
  release=$(dirname "$(dirname "$(readlink -f "$1")")")/release
  if [ -r "$release" ]; then
    version=$(sed -n 's/^JAVA_VERSION="\(.*\)"$/\1/p' "$release")
  fi
  [ -n "$version" ] || version=$("$1" -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java\.specification\.version = //p')
  echo "$version"
}

find_java() {
  local java version major
  if [ -n "${JAVA_HOME:-}" ]; then
    java=$JAVA_HOME/bin/java
    [ -x "$java" ] || fail "JAVA_HOME is $JAVA_HOME, but there is no bin/java in it; set it to a JDK $oldest_java or newer"
  else
    java=$(command -v java) || fail "no java found; install a JDK $oldest_java or newer, or set JAVA_HOME"
  fi
  version=$(java_version "$java")
  major=${version#1.}
  major=${major%%[!0-9]*}
  [[ $major =~ ^[0-9]+$ ]] || fail "$java does not tell its version; set JAVA_HOME to a JDK $oldest_java or newer"
  [ "$major" -ge "$oldest_java" ] || fail "$java is Java $version; install a JDK $oldest_java or newer, or set JAVA_HOME to one"
  echo "$java"
}
