package io.indexview.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * From this build's distribution to that of a later version and back, part by part, while records
 * and files change. Logs are in {@code target/upgrade}.
 */
@Timeout(1200)
@EnabledIfSystemProperty(
    named = "next.distribution",
    matches = ".+",
    disabledReason = "compares with the archive that -Dnext.distribution names")
class UpgradeIT {
  private static final String NEW_VIEW = "people-by-name";

  @TempDir private Path directory;

  private Path home(String name, String archive) throws Exception {
    Path into = Files.createDirectory(directory.resolve(name));
    return Unpacked.distribution(Path.of(System.getProperty(archive)), into);
  }

  private static void replace(Path plugins, Path home) throws Exception {
    if (Files.exists(plugins)) {
      try (Stream<Path> files = Files.walk(plugins)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
    Unpacked.plugins(home, Files.createDirectory(plugins));
  }

  /** What the worker says of the plugins that it has loaded. */
  private static String plugins(ConnectWorker worker) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(worker.client().url().resolve("/connector-plugins")).build();
    return HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
  }

  private static String version(Path home) {
    return home.getFileName().toString().replaceFirst("^indexview-", "");
  }

  @Test
  void keepsViewsExactToALaterVersionAndBack() throws Exception {
    Path old = home("old", "distribution");
    Path next = home("next", "next.distribution");
    assertThat(version(next)).isNotEqualTo(version(old));
    List<Path> plugins = List.of(directory.resolve("plugins-1"), directory.resolve("plugins-2"));
    for (Path path : plugins) {
      replace(path, old);
    }
    try (Deployment deployment = new Deployment(directory, Path.of("target", "upgrade"))) {
      deployment.startApp(old);
      String libraries = ConnectWorker.newestLibraries();
      List<ConnectWorker> workers =
          List.of(
              deployment.worker(libraries, plugins.get(0)),
              deployment.worker(libraries, plugins.get(1)));
      for (ConnectWorker worker : workers) {
        worker.start();
      }
      deployment.startServer(old);
      deployment.submitConnectors(old, workers.get(0));

      try (Load load = Load.start(deployment.stack())) {
        deployment.awaitWork();
        for (int i = 0; i < workers.size(); i++) {
          replaceWorker(deployment, workers.get(i), plugins.get(i), next);
        }
        replaceApp(deployment, next);
        replaceServer(deployment, next);
        Path view = directory.resolve("view.yaml");
        Files.writeString(
            view, "name: %s\nsource: people\nkey: [name]\ntarget: kv\n".formatted(NEW_VIEW));
        deployment.command(next, "views", "apply", "-f", view.toString(), "--wait");
        assertThat(load.changes()).isPositive();
      }
      deployment.awaitExactViews(NEW_VIEW);

      try (Load load = Load.start(deployment.stack())) {
        deployment.awaitWork();
        replaceServer(deployment, old);
        replaceApp(deployment, old);
        for (int i = 0; i < workers.size(); i++) {
          replaceWorker(deployment, workers.get(i), plugins.get(i), old);
        }
        assertThat(load.changes()).isPositive();
      }
      deployment.awaitExactViews(NEW_VIEW);
    }
  }

  private static void replaceWorker(
      Deployment deployment, ConnectWorker worker, Path plugins, Path home) throws Exception {
    worker.stop();
    replace(plugins, home);
    worker.start();
    deployment.awaitConnectors(worker);
    assertThat(plugins(worker)).contains("\"version\":\"%s\"".formatted(version(home)));
    deployment.awaitWork();
  }

  /** Both versions work for a while. */
  private static void replaceApp(Deployment deployment, Path home) throws Exception {
    deployment.startApp(home);
    deployment.awaitWork();
    deployment.stopFormerApp();
    deployment.awaitWork();
  }

  private static void replaceServer(Deployment deployment, Path home) throws Exception {
    deployment.stopServer();
    deployment.startServer(home);
    deployment.command(home, "status");
  }
}
