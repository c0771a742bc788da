package io.indexview.connect.common.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.sink.FakeSinkContext;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import javax.tools.ToolProvider;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.apache.kafka.connect.sink.SinkTaskContext;
import org.apache.kafka.connect.source.SourceTaskContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WorkerMetricsTest {
  @TempDir private Path classes;

  @Test
  void areThoseOfTheWorker() {
    FakeSinkContext sink = new FakeSinkContext();
    assertThat(WorkerMetrics.of(sink)).contains(sink.pluginMetrics());

    PluginMetrics metrics = sink.pluginMetrics();
    SourceTaskContext source =
        (SourceTaskContext)
            Proxy.newProxyInstance(
                SourceTaskContext.class.getClassLoader(),
                new Class<?>[] {SourceTaskContext.class},
                (proxy, method, arguments) -> metrics);
    assertThat(WorkerMetrics.of(source)).contains(metrics);
  }

  @ParameterizedTest
  @ValueSource(classes = {SourceTaskContext.class, SinkTaskContext.class})
  void areNoneOnWorkersThatDoNotKnowOfThem(Class<?> context) throws Exception {
    compile(
        "package %s; public interface %s {}"
            .formatted(context.getPackageName(), context.getSimpleName()),
        context.getSimpleName());
    compile("public class OldWorker implements %s {}".formatted(context.getName()), "OldWorker");

    try (OldClasses old = new OldClasses(classes, context.getName())) {
      Object metrics =
          old.loadClass(WorkerMetrics.class.getName())
              .getMethod("of", old.loadClass(context.getName()))
              .invoke(null, old.loadClass("OldWorker").getConstructor().newInstance());

      assertThat(metrics).isEqualTo(Optional.empty());
    }
  }

  private void compile(String source, String name) throws IOException {
    Path file = Files.writeString(classes.resolve(name + ".java"), source);
    String directory = classes.toString();
    assertThat(
            ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-cp", directory, "-d", directory, file.toString()))
        .isZero();
  }

  /** Those of Connect 4.0, as far as this is concerned. */
  private static final class OldClasses extends URLClassLoader {
    private final Set<String> own;

    private OldClasses(Path classes, String context) throws IOException {
      super(
          new URL[] {
            classes.toUri().toURL(),
            WorkerMetrics.class.getProtectionDomain().getCodeSource().getLocation()
          },
          WorkerMetricsTest.class.getClassLoader());
      this.own = Set.of(context, "OldWorker", WorkerMetrics.class.getName());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (name.equals(PluginMetrics.class.getName())) {
        throw new ClassNotFoundException(name);
      }
      if (!own.contains(name)) {
        return super.loadClass(name, resolve);
      }
      Class<?> loaded = findLoadedClass(name);
      return loaded == null ? findClass(name) : loaded;
    }
  }
}
