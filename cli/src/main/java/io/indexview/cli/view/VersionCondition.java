package io.indexview.cli.view;

import java.util.Map;
import picocli.CommandLine.Option;

/** Options that make a change depend on the version of the definition. */
final class VersionCondition {
  @Option(
      names = "--if-version",
      paramLabel = "VERSION",
      description = "Only if the definition is at this version.")
  private Long version;

  /** As headers of a request. */
  Map<String, String> headers() {
    return version == null ? Map.of() : Map.of("If-Match", "\"" + version + "\"");
  }
}
