package io.indexview.connect.kvstore;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;

class PluginArchiveIT {

  @Test
  void holdsThePluginAndNothingThatTheWorkerHas() throws IOException {
    List<String> files = files();

    assertThat(files)
        .anyMatch(file -> file.matches("lib/indexview-connect-kvstore-.*\\.jar"))
        .anyMatch(file -> file.matches("lib/indexview-connect-common-.*\\.jar"))
        .contains("etc/kvstore-source.properties", "etc/kvstore-sink.properties", "doc/LICENSE")
        .noneMatch(file -> file.matches("lib/(kafka-|connect-|slf4j-|log4j-).*"));
  }

  private static List<String> files() throws IOException {
    Path archive;
    try (Stream<Path> built = Files.list(Path.of("target"))) {
      archive =
          built
              .filter(file -> file.getFileName().toString().matches("indexview-connect-.*\\.zip"))
              .findFirst()
              .orElseThrow();
    }
    try (ZipFile zip = new ZipFile(archive.toFile())) {
      return zip.stream()
          .map(ZipEntry::getName)
          .map(name -> name.substring(name.indexOf('/') + 1))
          .toList();
    }
  }
}
