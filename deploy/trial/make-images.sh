#!/usr/bin/env bash
# Makes stand-ins for the images that docker-compose.yml pulls, where no image registry can be reached: from this machine's own
# programs and JDK, Maven Central and (Prometheus) Debian's packages. Needs a Debian or Ubuntu with docker, mvn, ldd and a JDK 17 or
# newer. They take the same settings as the real ones, but they are not these: they show that the composition works, nothing more.
#
# Then it builds the images of Indexview on them, and writes their names to deploy/trial/images.env, for
#   docker compose --env-file deploy/trial/images.env up -d
set -euo pipefail
here=$(cd -P "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
home=$(cd -P "$here/../.." && pwd)
prefix=${INDEXVIEW_TRIAL_PREFIX:-indexview-trial}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

version() {
  sed -n "s|^ *<$1>\(.*\)</$1>$|\1|p" "$home/pom.xml"
}

maven() {
  mvn -B -ntp -q "$@"
}

# Copies programs with the shared libraries that they load.
programs() {
  local root=$1 file
  shift
  for file in "$@"; do
    file=$(readlink -f "$(type -P "$file")")
    install -D "$file" "$root/usr/bin/$(basename "$file")"
    libraries "$root" "$file"
  done
}

libraries() {
  local root=$1 library
  while IFS= read -r library; do
    [ -e "$root$library" ] || install -D "$(readlink -f "$library")" "$root$library"
  done < <(ldd "$2" 2> /dev/null | grep -o '/[^ ]*' | sort -u)
}

jre() {
  local root=$work/jre java library name
  mkdir -p "$root"/{etc,proc,sys,dev,root,home,mnt,opt/java,usr/bin,usr/lib,usr/lib64} "$root"/var/{lib,tmp}
  mkdir -m 1777 "$root/tmp"
  ln -s usr/bin "$root/bin"
  ln -s usr/lib "$root/lib"
  ln -s usr/lib64 "$root/lib64"
  programs "$root" bash basename cat chgrp chmod chown cp cut date dirname env expr find grep head hostname id ls mkdir mktemp mv \
    ps readlink rm sed sleep sort stat tail tee timeout touch tr true uname wc xargs
  ln -sf bash "$root/usr/bin/sh"

  java=$(dirname "$(dirname "$(readlink -f "$(command -v java)")")")
  cp -rL "$java" "$root/opt/java/openjdk" 2> /dev/null || true
  rm -rf "$root"/opt/java/openjdk/{jmods,demo,man,docs,src.zip,lib/src.zip,lib/libawt_xawt.so,lib/libsplashscreen.so,lib/libjsound.so}
  find "$root/opt/java/openjdk/bin" -type f ! -name java ! -name keytool ! -name jcmd -delete
  libraries "$root" "$java/bin/java"
  while IFS= read -r library; do
    libraries "$root" "$library"
  done < <(find -L "$java/lib" -name '*.so')
  # Loaded by name when needed: by the C library, and by RocksDB's.
  for name in libpthread.so.0 libdl.so.2 librt.so.1 libgcc_s.so.1 libstdc++.so.6 libresolv.so.2; do
    library=$(ldconfig -p | sed -n "s|^[[:space:]]*$name (.*x86-64.*) => \(.*\)$|\1|p;s|^[[:space:]]*$name (.*AArch64.*) => \(.*\)$|\1|p" | head -n 1)
    [ -e "$root$library" ] || install -D "$(readlink -f "$library")" "$root$library"
    libraries "$root" "$library"
  done

  printf '%s\n' root:x:0:0:root:/root:/bin/bash appuser:x:1000:1000::/home:/bin/bash registry:x:1001:0::/home:/bin/bash \
    indexview:x:10001:10001::/var/lib/indexview:/bin/bash nobody:x:65534:65534::/home:/bin/bash > "$root/etc/passwd"
  printf '%s\n' root:x:0: appuser:x:1000: indexview:x:10001: nogroup:x:65534: > "$root/etc/group"
  echo 'hosts: files dns' > "$root/etc/nsswitch.conf"
  tar -C "$root" --numeric-owner --owner=0 --group=0 -c . | docker import \
    --change 'ENV PATH=/opt/java/openjdk/bin:/usr/bin JAVA_HOME=/opt/java/openjdk LANG=C.UTF-8' - "$prefix/jre:17"
}

build() {
  docker build -q --build-arg "JRE=$prefix/jre:17" -t "$prefix/$1:$2" "$work/$1"
}

kafka() {
  local kafka
  kafka=$(version kafka.version)
  cp -r "$here/kafka" "$work/kafka"
  maven -f "$here/kafka/pom.xml" -Dkafka.version="$kafka" -Dlog4j.version="$(version log4j.version)" dependency:copy-dependencies \
    -DincludeScope=runtime -DoutputDirectory="$work/kafka/libs"
  build kafka "$kafka"
}

registry() {
  local apicurio
  apicurio=$(version apicurio.version)
  cp -r "$here/registry" "$work/registry"
  mkdir "$work/registry/deployments"
  maven -f "$home/pom.xml" -N dependency:copy -Dartifact="io.apicurio:apicurio-registry-app:$apicurio:tar.gz:all" \
    -DoutputDirectory="$work"
  tar xzf "$work/apicurio-registry-app-$apicurio-all.tar.gz" -C "$work/registry/deployments"
  build registry "$apicurio"
}

dynamodb() {
  cp -r "$here/dynamodb" "$work/dynamodb"
  maven -f "$home/local/dynamodb/pom.xml" dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$work/dynamodb/libs"
  build dynamodb "$(version dynamodb-local.version)"
}

prometheus() {
  local tree=$work/prometheus-deb
  cp -r "$here/prometheus" "$work/prometheus"
  mkdir -p "$tree" "$work/prometheus/bin"
  (cd "$tree" && apt-get -qq download prometheus)
  dpkg -x "$tree"/prometheus_*.deb "$tree"
  cp "$tree/usr/bin/prometheus" "$tree/usr/bin/promtool" "$work/prometheus/bin/"
  build prometheus trial
}

jre
kafka
registry
dynamodb
prometheus

cat > "$here/images.env" << EOF
# Written by make-images.sh; for docker compose --env-file.
KAFKA_IMAGE=$prefix/kafka:$(version kafka.version)
REGISTRY_IMAGE=$prefix/registry:$(version apicurio.version)
DYNAMODB_IMAGE=$prefix/dynamodb:$(version dynamodb-local.version)
PROMETHEUS_IMAGE=$prefix/prometheus:trial
EOF
INDEXVIEW_BASE_JRE=$prefix/jre:17 INDEXVIEW_BASE_KAFKA=$prefix/kafka:$(version kafka.version) "$home/deploy/build-images.sh"
