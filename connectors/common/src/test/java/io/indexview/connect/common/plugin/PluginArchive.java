package io.indexview.connect.common.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** The archive that a connector's module has built. */
public final class PluginArchive {
  private PluginArchive() {}

  /**
   * Checks that it holds the plugin, and nothing that the worker has.
   *
   * @param libraries artifacts of Indexview that the plugin consists of, beside what all share
   * @param examples configurations that come with it
   */
  public static void check(List<String> libraries, List<String> examples) throws IOException {
    List<String> files = files();
    for (String library : libraries) {
      assertThat(files).anyMatch(file -> file.matches("lib/" + library + "-.*\\.jar"));
    }
    assertThat(files)
        .anyMatch(file -> file.matches("lib/indexview-connect-common-.*\\.jar"))
        .containsAll(examples)
        .contains("doc/LICENSE", "doc/NOTICE", "doc/README.md")
        .noneMatch(file -> file.matches("lib/(kafka-|connect-|slf4j-|log4j-).*"));
  }

  /**
   * Checks that it holds what the default chain of credentials asks: roles of Kubernetes service
   * accounts and of profiles, and SSO, have a client each.
   */
  public static void checkDefaultChain() throws IOException {
    assertThat(files())
        .anyMatch(file -> file.matches("lib/sts-.*\\.jar"))
        .anyMatch(file -> file.matches("lib/sso-.*\\.jar"))
        .anyMatch(file -> file.matches("lib/ssooidc-.*\\.jar"))
        .anyMatch(file -> file.matches("lib/(apache5-client|url-connection-client)-.*\\.jar"));
  }

  /** Checks that it says whose libraries it holds, and under which licences. */
  public static void checkLicences() throws IOException {
    ArchiveLicences.check(below("lib/"), content("doc/THIRD-PARTY.txt"), below("doc/licenses/"));
    assertThat(content("doc/README.md")).doesNotContain("${");
  }

  private static List<String> below(String directory) throws IOException {
    return files().stream()
        .filter(file -> file.startsWith(directory) && !file.endsWith("/"))
        .map(file -> file.substring(directory.length()))
        .toList();
  }

  /** Checks what hubs and installers of plugins read. */
  public static void checkManifest(String name, List<String> componentTypes) throws IOException {
    JsonNode manifest = new ObjectMapper().readTree(content("manifest.json"));
    List<String> types = new ArrayList<>();
    manifest.path("component_types").forEach(type -> types.add(type.asText()));

    assertThat(manifest.path("name").asText()).isEqualTo(name);
    assertThat(manifest.path("version").asText()).matches("\\d+\\.\\d+\\.\\d+.*");
    assertThat(types).isEqualTo(componentTypes);
    assertThat(manifest.toString()).doesNotContain("${");
  }

  private static String content(String name) throws IOException {
    try (ZipFile zip = new ZipFile(archive().toFile())) {
      ZipEntry entry =
          zip.stream()
              .filter(file -> file.getName().endsWith("/" + name))
              .findFirst()
              .orElseThrow();
      return new String(zip.getInputStream(entry).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** Its files, as named below the archive's one directory. */
  private static List<String> files() throws IOException {
    try (ZipFile zip = new ZipFile(archive().toFile())) {
      return zip.stream()
          .map(ZipEntry::getName)
          .map(name -> name.substring(name.indexOf('/') + 1))
          .toList();
    }
  }

  private static Path archive() throws IOException {
    try (Stream<Path> built = Files.list(Path.of("target"))) {
      return built
          .filter(file -> file.getFileName().toString().matches("indexview-connect-.*\\.zip"))
          .findFirst()
          .orElseThrow();
    }
  }
}
