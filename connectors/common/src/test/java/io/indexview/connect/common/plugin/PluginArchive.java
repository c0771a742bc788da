package io.indexview.connect.common.plugin;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** The archive that a connector's module has built. */
public final class PluginArchive {
  private PluginArchive() {}

  /** Its files, as named below the archive's one directory. */
  public static List<String> files() throws IOException {
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
