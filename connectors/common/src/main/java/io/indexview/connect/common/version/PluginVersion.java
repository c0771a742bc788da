package io.indexview.connect.common.version;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** The version this plugin was built as; what {@code version()} of connectors and tasks answers. */
public final class PluginVersion {
  private static final String RESOURCE = "build.properties";
  private static final Properties BUILD = read();

  private PluginVersion() {}

  public static String get() {
    return BUILD.getProperty("version");
  }

  /** The oldest release of Kafka Connect that the build compares with. */
  static String oldestWorker() {
    return BUILD.getProperty("worker.oldest");
  }

  /** The release that it was built and tested with. */
  static String newestWorker() {
    return BUILD.getProperty("worker.newest");
  }

  private static Properties read() {
    try (InputStream stream = PluginVersion.class.getResourceAsStream(RESOURCE)) {
      if (stream == null) {
        throw new IllegalStateException(RESOURCE + " is missing from the plugin's jar");
      }
      Properties properties = new Properties();
      properties.load(stream);
      return properties;
    } catch (IOException e) {
      throw new UncheckedIOException(RESOURCE + " cannot be read", e);
    }
  }
}
