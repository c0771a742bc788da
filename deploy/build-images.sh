#!/usr/bin/env bash
# Builds the three images of Indexview with docker: indexview, connect and emulators. Usage: deploy/build-images.sh [IMAGE ...]
#
# INDEXVIEW_BASE_JRE, INDEXVIEW_BASE_KAFKA: base images, if not those that the Dockerfiles name
# INDEXVIEW_IMAGES: first part of the images' names (indexview)
# INDEXVIEW_SKIP_BUILD=1: take what "mvn package" made before
# INDEXVIEW_STAGE_ONLY=1: put together below target/images what goes into the images, without docker
set -euo pipefail
cd -P "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

images=${INDEXVIEW_IMAGES:-indexview}
[ $# -gt 0 ] || set -- indexview connect emulators

if [ -z "${INDEXVIEW_SKIP_BUILD:-}" ]; then
  mvn -B -ntp -q -DskipTests -pl :indexview-distribution,:indexview-demo -am package
fi
# The first of the file is the project's own.
version=$(sed -n -e '/<version>/{' -e 's|.*<version>\(.*\)</version>.*|\1|p' -e q -e '}' pom.xml)
archive=distribution/target/indexview-$version.tar.gz
revision=$(git rev-parse HEAD 2> /dev/null || echo unknown)
stage=target/images

# Own jars and what comes with them apart from libraries: of two versions only the small layers differ.
separate() {
  local directory=$1 jar
  for jar in "$directory"/lib/indexview-*.jar; do
    mv "$jar" "$directory/own/"
  done
}

stage_indexview() {
  local to=$stage/indexview
  mkdir -p "$to/own" "$to/home"
  tar xzf "$archive" -C "$to/home" --strip-components=1 --exclude='*/plugins' --exclude='*/docs'
  mv "$to/home/lib" "$to/lib"
  separate "$to"
}

stage_connect() {
  local to=$stage/connect unpacked name
  mkdir -p "$to/own" "$to/lib" "$to/jmx-exporter"
  cp -p distribution/target/jmx-exporter/jmx_prometheus_javaagent.jar "$to/jmx-exporter/"
  unpacked=$(mktemp -d)
  tar xzf "$archive" -C "$unpacked"
  for archived in "$unpacked"/*/plugins/*.zip; do
    name=$(basename "$archived" .zip)
    unzip -q "$archived" -d "$to/lib"
    mkdir -p "$to/own/$name/lib"
    mv "$to/lib/$name/lib"/indexview-*.jar "$to/own/$name/lib/"
  done
  rm -rf "$unpacked"
}

stage_emulators() {
  local to=$stage/emulators jar text
  mkdir -p "$to/own" "$to/lib" "$to/home"
  local -a jars
  IFS=: read -r -a jars < <(cat demo/target/classpath.txt; echo)
  for jar in "${jars[@]}"; do
    cp -pL "$jar" "$to/lib/"
  done
  cp -p "demo/target/indexview-demo-$version.jar" "$to/lib/"
  cp -rp LICENSE NOTICE demo/target/third-party/. "$to/home/"
  for text in config/licenses/*.txt; do
    if compgen -G "$to/lib/$(basename "$text" .txt)-[0-9]*.jar" > /dev/null; then
      cp -p "$text" "$to/home/licenses/"
    fi
  done
  separate "$to"
}

for image in "$@"; do
  case "$image" in
    indexview | emulators) base=${INDEXVIEW_BASE_JRE:-} ;;
    connect) base=${INDEXVIEW_BASE_KAFKA:-} ;;
    *)
      echo "build-images: no image \"$image\"; there are indexview, connect and emulators" >&2
      exit 2
      ;;
  esac
  rm -rf "${stage:?}/$image"
  "stage_$image"
  [ -z "${INDEXVIEW_STAGE_ONLY:-}" ] || continue
  docker build ${base:+--build-arg "BASE=$base"} --build-arg "VERSION=$version" --build-arg "REVISION=$revision" \
    -f "deploy/docker/$image.Dockerfile" -t "$images/$image:$version" .
done
