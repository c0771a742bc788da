package io.indexview.local;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Where the registry server lies: unpacked by the build, beside this module's classes. */
final class RegistryHome {
  /** Another place, for a stack that does not run from its build directory. */
  static final String PROPERTY = "indexview.registry.home";

  private static final String DIRECTORY = "registry";

  private RegistryHome() {}

  /** The jar that starts the server; its class path is in its manifest. */
  static Path runner() throws IOException {
    Path home = home();
    if (Files.isDirectory(home)) {
      try (Stream<Path> files = Files.list(home)) {
        var runner = files.filter(file -> file.toString().endsWith("-runner.jar")).findFirst();
        if (runner.isPresent()) {
          return runner.get();
        }
      }
    }
    throw new StackException(
        "registry: no server in %s: build the module \"local\" (mvn package), or set -D%s"
            .formatted(home, PROPERTY));
  }

  private static Path home() {
    String elsewhere = System.getProperty(PROPERTY);
    return elsewhere == null ? ownClasses().resolveSibling(DIRECTORY) : Path.of(elsewhere);
  }

  /** This module's jar or classes directory. */
  static Path ownClasses() {
    try {
      return Path.of(
          RegistryHome.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException("the module's own location is not a path", e);
    }
  }
}
